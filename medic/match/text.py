"""Free text to entries: BM25 over words, shared character n-grams, signatures.

score = 0.6 x BM25 + 0.4 x n-grams (each divided by its best) + 0.5 for a signature that matches.
N-grams are compared with the whole entry, and for a short query also with its nearest phrase.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

K1, B = 1.2, 0.75  # BM25's usual constants (Robertson and Zaragoza 2009)
WORDS, GRAMS, SIGNATURE = 0.6, 0.4, 0.5
GRAM = 3
QUERY_LIMIT = 4000
SHORT, NEAREST = 120, 12  # characters of a query that is one phrase; entries compared by phrase
SENTENCES = 40  # of a long text
_SENTENCE_END = re.compile(r"\n|(?<=[.!?;])\s|[\u3002\uff01\uff1f\uff1b\uff0c]")
# A document needs one of these to be listed: a share of the query's weight in words it has, or of
# the query's n-grams (a misspelt word keeps about half of its own).
MIN_WORDS, MIN_WORDS_LONG, MIN_GRAMS = 0.3, 0.2, 0.55
EXACT = 2.0

# Words that every description of a broken run holds; they tell nothing apart.
_DOMAIN = frozenset(["train", "training", "model", "run", "running", "step", "error"])
_STOP_WORDS = """
a an and are as at be but by can do does for from had has have how i if in into is it its me my no
not of on or our so than that the then there this to too up was we were what when which why will
with you your get got gets
"""
_STOP = frozenset(_STOP_WORDS.split())
_DOMAIN_HAN = ("训练", "模型", "报错", "微调")
_STOP_HAN = frozenset("的了是在我有个吗呢怎么")
_TOKEN = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


class Match(NamedTuple):
    kind: str
    name: str
    score: float


@dataclass(frozen=True)
class Document:
    """What an entry is found by."""

    kind: str
    name: str
    text: str
    code: str = ""


def documents(raw: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]) -> Iterator[Document]:
    """Documents of the compiled knowledge: names, titles and phrases in both languages."""
    for kind in kinds:
        for name, entry in raw.get(kind, {}).items():
            parts = [name.replace("-", " "), *entry.get("title", {}).values()]
            for phrases in entry.get("phrases", {}).values():
                parts += phrases
            yield Document(kind, name, "\n".join(parts), entry.get("code", ""))


class TextIndex:
    """Search over documents. ``signatures`` gives the symptoms that a text shows verbatim."""

    def __init__(
        self,
        entries: Iterable[Document],
        signatures: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        self._documents = tuple(entries)
        self._signatures = signatures
        words = [_words(document.text) for document in self._documents]
        terms = [list(_terms(w)) for w in words]
        # Plain strings: a query counts its few terms in them faster than all can be indexed.
        self._texts = [" ".join(w) for w in words]
        self._terms = [f" {'  '.join(t)} " for t in terms]
        self._lengths = [len(t) for t in terms]
        self._mean = sum(self._lengths) / max(len(self._lengths), 1)

    def search(self, query: str, kinds: Collection[str] = (), limit: int = 10) -> list[Match]:
        """The best entries for a text, best first; empty if nothing is near.

        A name or code given exactly comes first. A long text is searched sentence by sentence.
        """
        rows = [n for n, d in enumerate(self._documents) if not kinds or d.kind in kinds]
        words, grams, near = self._nearness(query, rows)
        shown = self._shown(query)
        best_words = max(words.values(), default=0.0) or 1.0
        best_grams = max(grams.values(), default=0.0) or 1.0
        found: list[Match] = []
        for row in rows:
            document = self._documents[row]
            exact = query.strip().lower() in (document.name, document.code.lower() or document.name)
            verbatim = document.kind == "symptoms" and document.name in shown
            if exact or verbatim or row in near:
                score = WORDS * words[row] / best_words + GRAMS * grams[row] / best_grams
                score += SIGNATURE * verbatim + EXACT * exact
                found.append(Match(document.kind, document.name, round(score, 4)))
        return sorted(found, key=lambda m: (-m.score, m.name))[:limit]

    def _nearness(
        self, query: str, rows: Sequence[int]
    ) -> tuple[dict[int, float], dict[int, float], set[int]]:
        """BM25 and n-grams of the nearest sentence for each row, and the rows that are near."""
        words, grams = dict.fromkeys(rows, 0.0), dict.fromkeys(rows, 0.0)
        near: set[int] = set()
        parts = _sentences(query[:QUERY_LIMIT])
        for part in parts:
            kept = _words(part)
            terms = list(dict.fromkeys(_terms(kept)))
            scores, covered, counts = self._bm25(terms, rows)
            alike = self._grams(" ".join(kept), rows)
            for row in rows:
                words[row] = max(words[row], scores[row])
                grams[row] = max(grams[row], alike[row])
                # One shared word of a long text is chance; two are worth a look.
                need, share = (2, MIN_WORDS_LONG) if len(parts) > 1 else (1, MIN_WORDS)
                enough = counts[row] >= min(need, len(terms)) and covered[row] >= share
                if (enough and terms) or alike[row] >= MIN_GRAMS:
                    near.add(row)
        return words, grams, near

    def _bm25(
        self, terms: Sequence[str], rows: Sequence[int]
    ) -> tuple[dict[int, float], dict[int, float], dict[int, int]]:
        """BM25 of each row, the share of the query's weight that it has, and of how many words."""
        size = len(self._terms)
        scores, covered = dict.fromkeys(rows, 0.0), dict.fromkeys(rows, 0.0)
        counts = dict.fromkeys(rows, 0)
        total = 0.0
        for term in terms:
            padded = f" {term} "
            holders = [n for n, terms_of in enumerate(self._terms) if padded in terms_of]
            # A word that no entry has weighs as one that a single entry has.
            often = max(len(holders), 1)
            weight = math.log(1 + (size - often + 0.5) / (often + 0.5))
            total += weight
            for row in holders:
                if row in scores:
                    count = self._terms[row].count(padded)
                    length = 1 - B + B * self._lengths[row] / self._mean
                    scores[row] += weight * count * (K1 + 1) / (count + K1 * length)
                    covered[row] += weight
                    counts[row] += 1
        shares = {row: value / total if total else 0.0 for row, value in covered.items()}
        return scores, shares, counts

    def _grams(self, text: str, rows: Sequence[int]) -> dict[int, float]:
        grams = _grams_of(text)
        if not grams:
            return dict.fromkeys(rows, 0.0)
        shared = {row: sum(g in self._texts[row] for g in grams) / len(grams) for row in rows}
        if len(text) > SHORT:
            return shared
        nearest = sorted(rows, key=lambda row: -shared[row])[:NEAREST]
        for row in nearest:
            shared[row] = (shared[row] + self._phrase(grams, row)) / 2
        return shared

    def _phrase(self, grams: set[str], row: int) -> float:
        """Dice's coefficient with the nearest phrase of an entry."""
        best = 0.0
        for phrase in self._documents[row].text.split("\n"):
            own = _grams_of(" ".join(_words(phrase)))
            if own:
                best = max(best, 2 * len(own & grams) / (len(own) + len(grams)))
        return best

    def _shown(self, query: str) -> frozenset[str]:
        """Signatures are tested only on what may be a log line: words alone match none."""
        if self._signatures is None or not re.search(r"\d|[:=(\[]|\w{3}Error", query):
            return frozenset()
        return frozenset(self._signatures(query))


def _sentences(text: str) -> list[str]:
    """A short text as it is; of a long one its lines and sentences."""
    if len(text) <= SHORT:
        return [text]
    parts = [p.strip() for p in _SENTENCE_END.split(text)]
    return [p for p in parts if len(p) > 3][:SENTENCES] or [text[:SHORT]]


def _grams_of(text: str) -> set[str]:
    return {text[i : i + GRAM] for i in range(max(len(text) - GRAM + 1, 1))} if text else set()


def _words(text: str) -> list[str]:
    """Words and runs of Han, normalised; domain and stop words dropped."""
    text = unicodedata.normalize("NFKC", text).lower()
    if not text.isascii():
        for word in _DOMAIN_HAN:
            text = text.replace(word, " ")
    return [w for w in _TOKEN.findall(text) if w not in _DOMAIN and w not in _STOP]


def _terms(words: Iterable[str]) -> Iterator[str]:
    """Stemmed words; of Han the single characters and the pairs."""
    for word in words:
        if word.isascii():
            yield word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
        else:
            yield from (sign for sign in word if sign not in _STOP_HAN)
            yield from (word[n : n + 2] for n in range(len(word) - 1))
