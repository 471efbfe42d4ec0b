"""Search of the shipped entries by free text."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from medic.index import Index
from medic.match.text import Match, TextIndex, documents, spoken_outcomes

# Signatures are of whole log lines: a few plain words are matched by their phrases alone, which
# spares the start of a command the compiling of all patterns.
PLAIN_WORDS = 60
# A sentence must be at least this near to a symptom to count as a complaint, and by the margin
# nearer than to any other; measured over tests/descriptions.txt.
COMPLAINT_SCORE, COMPLAINT_MARGIN = 0.6, 0.05
MANY = 40
_PASTED = re.compile(r"[\n:(=\[\]]|\d")


def search(
    query: str, index: Index, kinds: Collection[str] = ("symptoms", "causes")
) -> list[Match]:
    """(kind, name, score) of the entries that a text may mean, best first; empty if none is near.

    ``kinds`` are folders of the knowledge. A signature that the text shows verbatim counts.
    """
    return _text_index(_Same(index), tuple(kinds)).search(query)


def complaints(text: str, index: Index) -> list[Match]:
    """Symptoms that a text reports: each sentence's nearest, where it is near and stands alone."""
    return _alone(search(text, index, ("symptoms",)))


def answers(text: str, index: Index) -> list[tuple[str, str, str]]:
    """(check, outcome, sentence) of what a text says of a check, one outcome a check."""
    said: dict[str, tuple[str, str]] = {}
    for match in _alone(_outcome_index(_Same(index)).search(text, limit=MANY)):
        check, _, outcome = match.name.partition("=")
        said.setdefault(check, (outcome, match.quote))
    return [(check, *rest) for check, rest in said.items()]


def _alone(found: list[Match]) -> list[Match]:
    """Each sentence's nearest entry, where it is near and stands alone."""
    reported: list[Match] = []
    seen: dict[str, float] = {}
    for match in found:
        best = seen.setdefault(match.quote, match.score)
        if match.score < best or match.score < COMPLAINT_SCORE:
            continue
        others = [m.score for m in found if m.quote == match.quote and m is not match]
        if match.score - max(others, default=0.0) >= COMPLAINT_MARGIN:
            reported.append(match)
    return reported


class _Same:
    """An index as a key: its entries never change, and it cannot be hashed by value."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def __hash__(self) -> int:
        return id(self.index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.index is self.index


@lru_cache(maxsize=8)
def _text_index(same: _Same, kinds: tuple[str, ...]) -> TextIndex:
    def shown(text: str) -> list[tuple[str, str]]:
        if not _PASTED.search(text) and len(text) < PLAIN_WORDS:
            return []
        from medic.match.scan import Matcher, watched

        return Matcher(watched(same.index)).shown_in(text)

    return TextIndex(documents(same.index.raw, kinds), shown)


@lru_cache(maxsize=2)
def _outcome_index(same: _Same) -> TextIndex:
    return TextIndex(spoken_outcomes(same.index.raw))
