"""Rows of one file that carry their text in another column than the rest: a loader reads one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from medic.i18n import Text
from medic.records import dataclass, field
from medic.text.patterns import regex
from medic.text.safetext import one_line

# Columns that trainers read the text of a sample from; others may well be left out of a row.
_CARRIER = regex(
    r"^(?:text|content|raw_content|document|body|messages?|conversations?|dialog(?:ue)?|prompt|"
    r"instruction|question|sentence|article|story|code)s?$"
)
MAX_SETS = 200
LEAST = 0.005  # of the rows: below it they are single broken ones


@dataclass
class Carriers:
    """Which of these columns each row has: a set of names -> [rows, place and line of the first]."""

    rows: dict[frozenset[str], list[Any]] = field(default_factory=dict)

    def add(self, record: Mapping[str, Any], place: str, line: int) -> None:
        own = frozenset(n for n, v in record.items() if v and _CARRIER.match(str(n).lower()))
        if own in self.rows or len(self.rows) < MAX_SETS:
            self.rows.setdefault(own, [0, place, line])[0] += 1

    def apart(self) -> tuple[int, str, Text, int] | None:
        """(rows, place, words, line) of the rarer of two columns of which each row has just one."""
        total = sum(count for count, _, _ in self.rows.values())
        for one, other in self._pairs():
            sides = [[v for names, v in self.rows.items() if n in names] for n in (one, other)]
            counts = [sum(count for count, _, _ in side) for side in sides]
            if sum(counts) < total or min(counts) < LEAST * total:
                continue
            rare = counts.index(min(counts))
            names = [one_line(n, 40) for n in ((one, other) if rare == 0 else (other, one))]
            words = Text(
                f"{min(counts):,} rows have {names[0]}, {max(counts):,} have {names[1]}",
                f"{min(counts):,} 行只有 {names[0]}，{max(counts):,} 行只有 {names[1]}",
            )
            _, place, line = sides[rare][0]
            return min(counts), place, words, line
        return None

    def _pairs(self) -> Iterator[tuple[str, str]]:
        names = sorted({n for own in self.rows for n in own})[:20]
        for one, other in combinations(names, 2):
            if not any(one in own and other in own for own in self.rows):
                yield one, other
