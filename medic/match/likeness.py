"""How much a person's text reads like each cause's own description (BM25 over the entries).

It orders what the symptoms leave open, and no more: a ratio is bounded, and nothing is established
by it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from medic.match.words import terms_of

K1, B = 1.2, 0.6
MOST = 12  # causes that get a ratio
STRONGEST = math.log(100)  # the ratio of the nearest: measured over reports, see docs/engine.md
SURE = 15.0  # a score of this size is no chance; a smaller one counts for less
LEAST = 0.3  # share of the best score below which nothing is said
LIMIT = 6000  # characters that are read
_FRAME = re.compile(r'^\s*(?:File "|#\d+ |at |\^+\s*$|frame #)')
_PATH = re.compile(r"\S*(?:/[\w.+-]+){2,}\S*|https?://\S+")
Bags = Mapping[str, Mapping[str, int]]


def bags(raw: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Terms of each cause's own text, with how often it has them."""
    return {
        name: dict(Counter(t for part in _parts(name, entry, raw) for t in terms_of(part)))
        for name, entry in raw["causes"].items()
    }


def _parts(
    name: str, entry: Mapping[str, Any], raw: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    yield name.replace("-", " ")
    for text in (entry["title"], entry["title"], entry["why"]):
        yield from text.values()
    yield from raw["symptoms"][entry["shows"][0]["symptom"]]["title"].values()
    own = entry.get("telltale", {})
    for phrases in own.get("phrases", {}).values():
        yield from phrases
    for signature in own.get("signatures", ()):
        yield from signature["match"]


class Likeness:
    """Scores of a text against every bag. Stack frames and paths tell nothing."""

    def __init__(self, of: Bags) -> None:
        self._bags = of
        held = Counter(term for bag in of.values() for term in bag)
        size = len(of)
        self._rarity = {t: math.log(1 + (size - n + 0.5) / (n + 0.5)) for t, n in held.items()}
        self._length = {name: sum(bag.values()) for name, bag in of.items()}
        self._mean = sum(self._length.values()) / max(size, 1) or 1.0

    def ratios(self, text: str) -> dict[str, float]:
        """Log ratios of the nearest causes, best first; empty for a text of none of their words."""
        terms = set(_terms(text))
        scores = {name: self._score(name, bag, terms) for name, bag in self._bags.items()}
        best = max(scores.values(), default=0.0)
        if best <= 0:
            return {}
        top = STRONGEST * min(1.0, best / SURE)
        near = sorted((-s, n) for n, s in scores.items() if s > LEAST * best)[:MOST]
        return {n: top * (-s / best - LEAST) / (1 - LEAST) for s, n in near}

    def _score(self, name: str, bag: Mapping[str, int], terms: set[str]) -> float:
        norm = K1 * (1 - B + B * self._length[name] / self._mean)
        score = 0.0
        for term in terms & bag.keys():
            n = bag[term]
            score += self._rarity[term] * n * (K1 + 1) / (n + norm)
        return score


def _terms(text: str) -> Iterator[str]:
    for line in text[:LIMIT].splitlines():
        if not _FRAME.match(line):
            yield from terms_of(_PATH.sub(" ", line))
