"""Names that people look up in their own spelling: which term a bare name, or a question that holds
nothing but names, is of."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index

LONGEST = 60  # characters of a question that may hold nothing but names
_SIGNS = regex(r"[\s_\-./=:`'\"“”‘’()（）]+")
# What stands around names in a question for what they are, or how they are set.
_AROUND = regex(
    r"(?i)\b(?:what(?:'s| is| are| does)?|explain|meaning of|mean|how (?:do i|to|should i|big|large|high)|"
    r"(?:set|choose|pick|tune|use|enable)|settings?|parameters?|options?|differences?|between|the|an?|of|in)\b|"
    r"的?(?:是什么意思|是什么|什么意思|是啥|指什么|怎么算|怎么设置|怎么设|怎么选|怎么配|怎么调|如何设置|"
    r"设多少|设多大|多少合适|取多少|取值|参数|设置|有什么区别|有何区别|区别|对比|作用|含义|有什么用|什么用)|"
    r"[?？,，。]"
)
_BETWEEN = regex(r"(?i)\b(?:vs\.?|versus|and|or)\b|[和与、/]|还是|跟")
_NUMBER = regex(r"(?<!\w)\d[\d.,]*(?:e[+-]?\d+)?[a-zA-Z]?(?!\w)")


# A code or a message is looked up as it is printed: "exit code -9" is not "exit code 9".
_PRINTED = ("exit-code", "signal", "xid", "errno", "status")


def named(words: str, index: Index) -> list[str]:
    """Terms that the words name and nothing else, in their order; empty where anything is left."""
    if len(words) > LONGEST or "\n" in words:
        return []
    names = _spelt(index)
    if whole := _term(words, names, index):
        return [whole]
    found: list[str] = []
    for part in _BETWEEN.split(_AROUND.sub(" ", words)):
        term = _term(part, names, index) or _term(_NUMBER.sub(" ", part), names, index)
        if not term and _SIGNS.sub("", _NUMBER.sub("", part)):
            return []
        found += [term] if term else []
    return list(dict.fromkeys(found))


def bare(words: str) -> str:
    """A question without what stands around the name that it is about: ``beta`` of "beta 是什么"."""
    return _AROUND.sub(" ", words).strip() if len(words) <= LONGEST else words.strip()


def _term(words: str, names: Mapping[str, str], index: Index) -> str:
    plain = _plain(words)
    return (
        names.get(plain) or names.get(plain.removesuffix("s")) or _of_setting(words.strip(), index)
    )


def _spelt(index: Index) -> dict[str, str]:
    """Plain spelling -> term. A written name wins over a title, which says more than one thing."""
    spelt: dict[str, str] = {}
    for of in (_says, _titles):
        for name, raw in index.raw["terms"].items():
            for text in of(raw) if raw["kind"] not in _PRINTED else ():
                spelt.setdefault(_plain(text), name)
    return spelt


def _says(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from raw["says"]


def _titles(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from raw["title"].values()


def _of_setting(key: str, index: Index) -> str:
    """The term of the field that a framework's key stands for: flash_attn is the attention."""
    bare = key.lstrip("-").replace("-", "_")
    if not bare.isascii() or not bare.isidentifier():
        return ""
    for raw in index.raw["frameworks"].values():
        for one in raw["keys"]:
            if one["key"].rsplit(".", 1)[-1].lstrip("-").replace("-", "_") == bare:
                term: str = "field-" + one["field"].replace("_", "-")
                if term in index.raw["terms"]:
                    return term
    return ""


def _plain(text: str) -> str:
    """A name without what is spelt in several ways: case, width, signs between its words."""
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text).casefold())
