"""What is kept of a long log's middle: the lines that a diagnosis looks for, and a thinned rest.

A run's first error often stands far from its end, which other ranks fill with what followed. Kept are
lines that speak of trouble, with their neighbours, and of the others as many as fit, evenly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from medic.match.trouble import speaks_of_trouble
from medic.text.patterns import regex

MIB = 1024 * 1024
TOLD, THINNED = 4 * MIB, 1 * MIB  # bytes of lines about trouble, and of the others
ALIKE = 200  # lines that differ in their numbers only: more of them say nothing more
SHAPES = 20_000
BEFORE, AFTER = 3, 6  # neighbours of a line about trouble
SHAPE = 200  # characters of a line that tell its kind
_ALL = 1 << 32
_SPREAD = 2_654_435_761  # Knuth's multiplier: no rank's turn falls together with the thinning
_NUMBERS = regex(rb"0x[0-9a-fA-F]+|\d+")
START = (
    "... medic collect: {n} bytes cut here; up to the next mark stand the lines about trouble and 1 in {k} "
    "of the others ..."
)
STOP = "... medic collect: whole from here on ..."


class Middle:
    """Takes the lines of the middle one by one; ``lines`` gives what is kept of them."""

    def __init__(self) -> None:
        self.dropped = 0
        self._kept: dict[int, tuple[bytes, bool]] = {}  # number -> (line, whether of the others)
        self._near: deque[tuple[int, bytes]] = deque(maxlen=BEFORE)
        self._shapes: dict[bytes, int] = {}
        self._owed = self._number = self._told = self._others = 0
        self.every = 1

    def add(self, line: bytes) -> None:
        self._number += 1
        self.dropped += len(line) + 1
        if self._is_trouble(line):
            for number, earlier in self._near:
                self._keep(number, earlier)
            self._near.clear()
            self._owed = AFTER
            self._keep(self._number, line)
        elif self._owed:
            self._owed -= 1
            self._keep(self._number, line)
        else:
            self._near.append((self._number, line))
            if self._is_turn(self._number):
                self._keep(self._number, line, other=True)

    def lines(self) -> Iterator[bytes]:
        """The kept lines between two marks; nothing where nothing was added."""
        if self._number:
            yield START.format(n=f"{self.dropped:,}", k=self.every).encode()
            yield from (self._kept[number][0] for number in sorted(self._kept))
            yield STOP.encode()

    def _is_trouble(self, line: bytes) -> bool:
        if self._told > TOLD or not speaks_of_trouble(line):
            return False
        shape = _NUMBERS.sub(b"0", line[:SHAPE])
        seen = self._shapes.get(shape, 0)
        if seen >= ALIKE or (not seen and len(self._shapes) >= SHAPES):
            return False
        self._shapes[shape] = seen + 1
        return True

    def _keep(self, number: int, line: bytes, *, other: bool = False) -> None:
        size = len(line) + 1
        if number in self._kept:  # one of the others, and now a neighbour
            self._others -= size
        else:
            self.dropped -= size
        self._kept[number] = (line, other)
        if not other:
            self._told += size
            return
        self._others += size
        if self._others > THINNED:
            self._thin()

    def _thin(self) -> None:
        """Every other one of the lines that are no trouble goes."""
        self.every *= 2
        for number in [n for n, (_, other) in self._kept.items() if other]:
            if not self._is_turn(number):
                size = len(self._kept.pop(number)[0]) + 1
                self._others -= size
                self.dropped += size

    def _is_turn(self, number: int) -> bool:
        return number * _SPREAD % _ALL * self.every < _ALL
