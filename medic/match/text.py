"""Free text to entries: BM25 over words, containment of character n-grams, signatures.

score = 0.6 x BM25 + 0.4 x n-grams (each divided by its best) + 0.5 for a signature that matches.
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
# A document needs one of these to be listed: a share of the query's weight in words it has, or of
# the query's n-grams (a misspelt word keeps about half of its own).
MIN_WORDS, MIN_GRAMS = 0.3, 0.55
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


@dataclass(frozen=True, slots=True)
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

        A name or code given exactly comes first.
        """
        rows = [n for n, d in enumerate(self._documents) if not kinds or d.kind in kinds]
        words = _words(query[:QUERY_LIMIT])
        text, terms = " ".join(words), list(dict.fromkeys(_terms(words)))
        bm25, covered = self._bm25(terms, rows)
        grams = self._grams(text, rows)
        shown = self._shown(query)
        best_words = max(bm25.values(), default=0.0) or 1.0
        best_grams = max(grams.values(), default=0.0) or 1.0
        found: list[Match] = []
        for row in rows:
            document = self._documents[row]
            exact = query.strip().lower() in (document.name, document.code.lower() or document.name)
            verbatim = document.kind == "symptoms" and document.name in shown
            near = covered[row] >= MIN_WORDS or grams[row] >= MIN_GRAMS
            if exact or verbatim or near:
                score = WORDS * bm25[row] / best_words + GRAMS * grams[row] / best_grams
                score += SIGNATURE * verbatim + EXACT * exact
                found.append(Match(document.kind, document.name, round(score, 4)))
        return sorted(found, key=lambda m: (-m.score, m.name))[:limit]

    def _bm25(
        self, terms: Sequence[str], rows: Sequence[int]
    ) -> tuple[dict[int, float], dict[int, float]]:
        """BM25 of each row, and the share of the query's weight that it covers."""
        size = len(self._terms)
        scores, covered = dict.fromkeys(rows, 0.0), dict.fromkeys(rows, 0.0)
        total = 0.0
        for term in terms:
            padded = f" {term} "
            holders = [n for n, terms_of in enumerate(self._terms) if padded in terms_of]
            weight = math.log(1 + (size - len(holders) + 0.5) / (len(holders) + 0.5))
            total += weight
            for row in holders:
                if row in scores:
                    often = self._terms[row].count(padded)
                    length = 1 - B + B * self._lengths[row] / self._mean
                    scores[row] += weight * often * (K1 + 1) / (often + K1 * length)
                    covered[row] += weight
        return scores, {row: value / total if total else 0.0 for row, value in covered.items()}

    def _grams(self, text: str, rows: Sequence[int]) -> dict[int, float]:
        grams = {text[i : i + GRAM] for i in range(max(len(text) - GRAM + 1, 1))} if text else set()
        if not grams:
            return dict.fromkeys(rows, 0.0)
        return {row: sum(gram in self._texts[row] for gram in grams) / len(grams) for row in rows}

    def _shown(self, query: str) -> frozenset[str]:
        """Signatures are tested only on what may be a log line: words alone match none."""
        if self._signatures is None or not re.search(r"[A-Z]\w+|\d|[:=(\[]", query):
            return frozenset()
        return frozenset(self._signatures(query))


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
