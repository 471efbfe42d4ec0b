"""The year of stamps that write none ("03-11 08:00", glog's "E0311"): that of a copy's own time is
often another one, and other logs of the case print it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import BinaryIO

from medic.errors import Unreadable
from medic.facts import GivenFile
from medic.probe import Look
from medic.text.encodings import utf8

from . import clock
from .clock import Clock

MOST = 200  # files whose stamps are looked for
HEAD, TAIL = 256 << 10, 64 << 10  # bytes in which one stands
ANYTHING = 1 << 62
# A file was written when its last line was, give or take a time zone and what is buffered.
IN_ACCORD = 2 * 86400.0


class Years:
    """Of the logs of a case; they are opened for this only where one has stamps without a year."""

    def __init__(self, look: Look, files: Sequence[GivenFile]) -> None:
        self._look, self._files = look, files

    def clock(self, given: GivenFile, lines: Sequence[str]) -> Clock:
        """The clock of a file that begins with these lines: of the year that they print, that of
        the file where its own time is that of its last stamp, or the year by which its stamps are
        nearest to those that other logs print; last, that of the newest file."""
        own = clock.of_file(lines, given.modified)
        if own.year_told or (first := _first(lines, own.year)) is None:
            return own
        if given.modified and self._in_accord(given):
            return own
        if self._told:
            years = {time.localtime(t).tm_year + n for t in self._told for n in (-1, 0, 1)}
            return Clock(min(sorted(years), key=lambda y: self._far(_first(lines, y) or first)))
        return clock.of_file((), max(f.modified for f in (given, *self._files)))

    def _far(self, seconds: float) -> float:
        return min(abs(seconds - t) for t in self._told)

    @cached_property
    def _told(self) -> list[float]:
        """The first time with a year of each log (seconds since 1970)."""
        found = []
        for given in self._files[:MOST]:
            lines = _lines(self._look, given, tail=False)
            dated = clock.dated(lines)
            told = None if dated is None else Clock().read(dated)
            if told is not None:
                found.append(told)
        return found

    def _in_accord(self, given: GivenFile) -> bool:
        year = time.localtime(given.modified).tm_year
        lines = list(_lines(self._look, given, tail=True))
        last = _first(lines[::-1], year)
        return last is not None and abs(given.modified - last) <= IN_ACCORD


def _first(lines: Iterable[str], year: int) -> float | None:
    """The first time that lines tell, with stamps without a year in this one."""
    read = (Clock(year).read(line) for line in lines)
    return next((told for told in read if told is not None), None)


def _lines(look: Look, given: GivenFile, *, tail: bool) -> Iterator[str]:
    """The first or last lines of a file, as far as a stamp is looked for in each."""
    try:
        with look.open(given.path, ANYTHING) as file:
            raw = _end(file) if tail else file.read(HEAD)
    except (Unreadable, OSError):
        return
    for line in utf8(raw).split(b"\n"):
        yield line[: clock.HEAD].decode("utf-8", "replace").strip()


def _end(file: BinaryIO) -> bytes:
    size = file.seek(0, 2)
    file.seek(max(size - TAIL, 0))
    return file.read(TAIL)
