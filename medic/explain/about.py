"""Entries that speak of a name which no entry has: nothing is claimed of it but where it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from medic.text.safetext import columns

if TYPE_CHECKING:
    from medic.index.knowledge import Index

LONGEST = 32  # columns of what may be a name
# Where a name is looked for, best first, and which texts of an entry may hold it.
_KINDS = ("terms", "symptoms", "causes", "procedures", "remedies", "checks")
_TEXTS = ("what", "why", "do", "myth", "steps", "outcomes", "says", "snippet", "reports")
_IN_TITLE, _IN_TEXT = 2.0, 1.0
NEAR = 0.1  # the score of such a match: no entry is of this name


def speaking_of(words: str, index: Index, most: int) -> list[tuple[str, str]]:
    """(folder, name) of the entries that speak of a name: first those that have it in their title,
    then the causes whose descriptions hold it. Empty for what is longer than a name."""
    asked = " ".join(words.split()).casefold().strip("?？")
    if len(asked) < 2 or columns(asked) > LONGEST:
        return []
    found: dict[tuple[str, str], float] = dict(_described(asked, index))
    for kind in _KINDS:
        for name, raw in index.raw[kind].items():
            if weight := _spoken(asked, name, raw):
                place = (kind, name)
                found[place] = weight + found.get(place, 0.0)
    order = sorted(found, key=lambda place: (-found[place], _KINDS.index(place[0]), place[1]))
    return order[:most]


def _described(asked: str, index: Index) -> Iterator[tuple[tuple[str, str], float]]:
    """Causes whose own texts hold the words side by side, in either language and any form, with
    what they weigh there, between 0 and 1. A single word means too many things."""
    from medic.match.words import terms_of

    rows = [index.words.get(f"{a} {b}", ()) for a, b in pairwise(terms_of(asked))]
    if not rows:
        return
    weights = [dict(zip(row[::2], row[1::2], strict=True)) for row in rows]
    shared = set(weights[0]).intersection(*weights[1:])
    sums = {at: sum(row[at] for row in weights) for at in shared}
    causes = list(index.raw["causes"])
    highest = max(sums.values(), default=1.0)
    for at, total in sums.items():
        yield ("causes", causes[at]), total / highest


def _spoken(asked: str, name: str, raw: Mapping[str, Any]) -> float:
    if _has(asked, (name.replace("-", " "), *raw["title"].values())):
        return _IN_TITLE
    return _IN_TEXT if _has(asked, _strings([raw.get(key) for key in _TEXTS])) else 0.0


def _strings(value: Any) -> Collection[str]:
    """All texts of a tree."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in _strings(one)]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in _strings(one)]
    return ()


def _has(asked: str, texts: Collection[str]) -> bool:
    """Whether a text holds the words, as whole words where they are Latin."""
    for text in texts:
        low = text.casefold()
        at = low.find(asked)
        while at >= 0:
            before, after = low[at - 1 : at], low[at + len(asked) : at + len(asked) + 1]
            if not (_joins(before, asked[0]) or _joins(asked[-1], after)):
                return True
            at = low.find(asked, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring signs are of one Latin word."""
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()
