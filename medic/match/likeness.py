"""How much a person's text reads like each cause's own description (BM25 over the entries).

It orders what the symptoms leave open, and no more: a ratio is bounded, and nothing is established
by it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from medic.entries.levels import STRONGEST
from medic.match.tone import TROUBLE
from medic.match.words import terms_of
from medic.text.patterns import regex

K1, B = 1.2, 0.6
PAIR = 0.6  # of what a pair of words weighs: its words count as well
MOST = 12  # causes that get a ratio
SURE = 15.0  # a score of this size is no chance; a smaller one counts for less
LEAST = 0.3  # share of the best score below which nothing is said
LIMIT = 6000  # characters that are read
FEW = 8  # terms, pairs of neighbours included
# Stack frames, metrics, progress bars, and advice that comes with every message of its kind.
_FRAME = regex(
    r"^\s*(?:"
    r"File \"|#\d+ |at |\^+\s*$|frame #|"
    r"\{['\"][\w/]+['\"]: [-\d'\"n]|.{0,80}\d+%\||"
    r"For debugging consider|CUDA kernel errors might|Compile with `TORCH_USE|"
    r"See documentation for|If reserved memory is >>)"
)
_PATH = regex(r"\S*(?:/[\w.+-]+){2,}\S*|https?://\S+")
Bags = Mapping[str, Mapping[str, int]]


def bags(raw: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Terms of each cause's own texts, with the number of texts that have them."""
    return {
        name: dict(Counter(t for part in _parts(name, entry, raw) for t in _terms(part)))
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
    for reports in entry.get("reports", {}).values():
        yield from reports


def weighed(bags: Bags) -> dict[str, list[float]]:
    """What each term counts for each cause (BM25): number of the cause, weight, … The number is the
    cause's place among the bags."""
    held = Counter(term for bag in bags.values() for term in bag)
    lengths = {name: sum(bag.values()) for name, bag in bags.items()}
    mean = sum(lengths.values()) / max(len(bags), 1) or 1.0
    terms: dict[str, list[float]] = {}
    for at, (name, bag) in enumerate(bags.items()):
        norm = K1 * (1 - B + B * lengths[name] / mean)
        for term, n in bag.items():
            rarity = math.log(1 + (len(bags) - held[term] + 0.5) / (held[term] + 0.5))
            weight = rarity * (PAIR if " " in term else 1.0) * n * (K1 + 1) / (n + norm)
            terms.setdefault(term, []).extend((at, round(weight, 2)))
    return terms


class Likeness:
    """Scores of a text against every cause. Stack frames and paths tell nothing.

    ``weights`` are as ``weighed`` gives them for ``causes``.
    """

    def __init__(self, causes: Sequence[str], weights: Mapping[str, Sequence[Any]]) -> None:
        self._causes, self._weights = causes, weights

    def ratios(self, text: str) -> dict[str, float]:
        """Log ratios of the nearest causes, best first; empty for a text of none of their words."""
        scores = [0.0] * len(self._causes)
        for term in sorted(_asked(text)):  # one sum each time: of two equal causes the last may go
            row = self._weights.get(term, ())
            for at, weight in zip(row[::2], row[1::2], strict=True):
                scores[at] += weight
        best = max(scores, default=0.0)
        if best <= 0:
            return {}
        top = STRONGEST * min(1.0, best / SURE)
        near = sorted(
            (-s, n) for n, s in zip(self._causes, scores, strict=True) if s > LEAST * best
        )
        return {n: top * (-s / best - LEAST) / (1 - LEAST) for s, n in near[:MOST]}


def _asked(text: str) -> frozenset[str]:
    """Terms of a text that is compared. Of few words, those that deny a trouble only set off the
    others: "no OOM, but slow" is slow."""
    found = _terms(text)
    if len(found) > FEW:
        return found
    return frozenset(
        term
        for term in found
        if not any(t.startswith("!") and t[1:] in TROUBLE for t in term.split())
    )


def _terms(text: str) -> frozenset[str]:
    """Terms of the lines that a person may have written, and pairs of neighbours."""
    found: set[str] = set()
    for line in text[:LIMIT].splitlines():
        if not _FRAME.match(line):
            terms = terms_of(_PATH.sub(" ", line))
            found.update(terms)
            found.update(f"{a} {b}" for a, b in pairwise(terms))
    return frozenset(found)
