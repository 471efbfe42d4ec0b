"""A text as terms: words stemmed, synonyms of both languages as one term, negation kept.

A term that is denied begins with "!": "does not decrease" and 不下降 are both "!decrease".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from medic.match.compounds import COMPOUNDS, NOT_COMPARED
from medic.match.synonyms import HAN_STOP, HAN_SYNONYMS, STOP_WORDS, SYNONYMS
from medic.text.patterns import regex

_STOP = frozenset(STOP_WORDS.split())


def _by_word(table: str) -> dict[str, str]:
    """Each word of lines "term: words" with its term."""
    rows = (line.split(": ") for line in table.strip().splitlines())
    return {word: term for term, words in rows for word in words.split()}


_MEANS: dict[str, str] = _by_word(SYNONYMS)

_HAN_MEANS: dict[str, str] = _by_word(HAN_SYNONYMS)
_HAN_DENIES = frozenset(["没有", "没", "未", "不再", "没再", "不会", "无法", "难以", "不", "无"])
_HAN = regex(
    "|".join(
        sorted(
            (re.escape(w) for w in (*_HAN_MEANS, *HAN_STOP.split(), *_HAN_DENIES)),
            key=len,
            reverse=True,
        )
    )
)
# Stop words that tell something if they are denied.
_DEEDS = {"start": "start", "use": "use", "used": "use", "using": "use", "see": "see"}
# Denied, these are one: "not seen" and "not found", "does not move" and "does not change".
_DENIED_ALIKE = {
    term: same
    for same, words in {
        "found": "find exist locat detect recogniz recognis visibl see",
        "change": "updat vary mov",
    }.items()
    for term in words.split()
}
_DENIES = frozenset(["no", "not", "never", "without", "nor", "neither", "none"])
_JOINED = regex(r"(?<=[a-z])[-_]+(?=[a-z])")
_RELEASE = regex(r"(?<![\w.])v?\d+\.\d+\.\d[\w.+]*")  # 2.3.1+cu121: no quantity
_TOKEN = regex(
    r"(?<![\w.-])-\d+|\d+\.\d+[a-z]+|\d+(?:\.\d+)?(?![a-z0-9])|[a-z0-9]+|[\u3400-\u9fff]+", re.ASCII
)


def normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")


@lru_cache(maxsize=1024)
def terms_of(text: str) -> tuple[str, ...]:
    """Terms in the order of the text; a denied one begins with "!". Several ask for one sentence."""
    text = _JOINED.sub(" ", _RELEASE.sub(" ", normal(text)))
    for parts, pattern, term in COMPOUNDS if _compares(text) else NOT_COMPARED:
        for part in parts:  # a loop: any() over a generator is twice as slow
            if part in text:
                text = pattern.sub(term, text)
                break
    found: list[str] = []
    denied = False
    for term in _meanings(text):
        if term == "!":
            denied = True
        elif denied and (deed := _DEEDS.get(term, "" if term in _STOP else term)):
            found.append(_denied(deed))
            denied = False
        elif term not in _STOP:
            found.append(term)
    return tuple(found)


def _compares(text: str) -> bool:
    """Whether it may compare something with training, which large patterns tell."""
    return "train" in text or "训练" in text


def _denied(term: str) -> str:
    return term[1:] if term.startswith("!") else f"!{_DENIED_ALIKE.get(term, term)}"


def _meanings(text: str) -> Iterator[str]:
    """Terms, stop words and "!" for words that deny the next."""
    for token in _TOKEN.findall(text):
        if token.isascii():
            yield _meaning(token)
        else:
            yield from _han(token)


@lru_cache(maxsize=16384)  # the entries have ten thousand words, over and over
def _meaning(token: str) -> str:
    if token in _DENIES:
        return "!"
    if token in _STOP:
        return token
    stem = _stem(token)
    return _MEANS.get(token) or _MEANS.get(stem, stem)


def _stem(word: str) -> str:
    if not word.isalpha():
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            short = word[: -len(ending)]
            # "stopping" and "stops" are one word, "decreasing" and "decrease" too.
            if short in _STOP:
                return short
            if ending in ("ing", "ed") and short[-1] == short[-2] and short[-1] not in "sl":
                short = short[:-1]
            return short[:-1] if short.endswith("e") and len(short) > 3 else short
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _han(run: str) -> Iterator[str]:
    """Known words; what lies between them in pairs of signs."""
    place = 0
    for known in _HAN.finditer(run):
        yield from _pairs(run[place : known.start()])
        word = known.group()
        if word in _HAN_DENIES:
            yield "!"
        elif word in _HAN_MEANS:
            yield _HAN_MEANS[word]
        place = known.end()
    yield from _pairs(run[place:])


def _pairs(signs: str) -> Iterator[str]:
    if len(signs) == 1:
        yield signs
    yield from (signs[n : n + 2] for n in range(len(signs) - 1))


_MEANS.update({_stem(word): term for word, term in list(_MEANS.items())})


def _named(term: str) -> str:
    """The term that the English word of a Chinese one has."""
    bare = term.removeprefix("!")
    known = _MEANS.get(bare) or (_stem(bare) if bare.isascii() else bare)
    return known if bare == term else _denied(known)


_HAN_MEANS.update({word: _named(term) for word, term in list(_HAN_MEANS.items())})
