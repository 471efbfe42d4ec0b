"""Matches of signatures while a log is scanned, and the order in which they are told."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from medic.match.reader import Block
from medic.match.sieve import loose
from medic.records import dataclass, field

FIRST, LAST = 10, 40


class Line(NamedTuple):
    """A line that matched, the one above it, and where it stands in its file; ``doubted``: other
    programs print it, too, and nothing around it says who did."""

    data: bytes
    above: bytes
    number: int
    file: str
    doubted: bool


class Found(NamedTuple):
    """A match of one signature, with what it captured; only what is kept becomes a Hit."""

    line: Line
    place: int
    span: tuple[int, int]
    groups: Mapping[bytes, bytes | None]


class Kept(NamedTuple):
    """A match that is told, and how often its signature matched."""

    number: int
    found: Found
    times: int


@dataclass
class Tally:
    """What is kept of one signature: the first and last matches, and in the end its last blocks
    with the end of the one before each."""

    last: deque[Found]
    first: list[Found] = field(default_factory=list)
    count: int = 0
    late: deque[tuple[Block, bytes, bytes]] = field(default_factory=lambda: deque(maxlen=LAST))

    def add(self, found: Found) -> None:
        (self.first if len(self.first) < FIRST else self.last).append(found)


class LineOrder:
    """Orders matches; of one line the match that is complete first comes first."""

    def __init__(self, source_of: Callable[[int], bytes], options: Any) -> None:
        self._source_of = source_of
        self._options = options
        self._sets: dict[Sequence[int], Any] = {}

    def of(self, found: Iterable[Kept]) -> Iterator[Kept]:
        """In file order."""
        rows = sorted(found, key=lambda one: one.found.place)
        for _, group in groupby(rows, key=lambda one: one.found.place):
            same = list(group)
            if len({one.number for one in same}) > 1:
                places = self._places(tuple(sorted({one.number for one in same})), same[0])
                same.sort(key=lambda one: places[one.number])
            yield from same

    def _places(self, numbers: Sequence[int], one: Kept) -> Mapping[int, int]:
        """Each signature's place among those of a line: RE2 notes them as it reads on."""
        if numbers not in self._sets:
            import re2

            self._sets[numbers] = re2.Set.SearchSet(self._options)
            for number in numbers:
                self._sets[numbers].Add(loose(self._source_of(number)))
            self._sets[numbers].Compile()
        seen = self._sets[numbers].Match(one.found.line.data) or ()
        last = dict.fromkeys(numbers, len(numbers))
        return last | {numbers[at]: place for place, at in enumerate(seen)}
