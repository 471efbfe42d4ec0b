"""When a log line was written, by the clock that its program or the kernel puts in front of it."""

from __future__ import annotations

import calendar
import time
from collections.abc import Iterable
from functools import lru_cache

from medic.text.patterns import regex

HEAD = 160  # characters in which a clock is looked for
# A file's own time may be that of a copy, and its host's zone another one.
AHEAD_SECONDS = 2 * 86400.0
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAME = f"(?:{'|'.join(MONTHS)})"

_OF_DAY = regex(r"\d:\d\d:\d")
_YEAR = regex(
    r"\b(20\d\d)[-/]\d\d[-/]\d\d[T _-]\d\d:\d\d|"
    r"\d\d:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{3,4})? (20\d\d)\b|"
    rf"\b\d\d?[ /-]{_NAME}[ /-](20\d\d)[ :]\d\d:\d\d|"
    r"(?<![A-Za-z0-9])[EIWF](20\d\d)[01]\d[0-3]\d \d\d:\d\d:\d\d"
)
# MindSpore and CANN put a dash before the hour.
_ISO = regex(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T -](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?"
    r"(?: ?(Z|UTC|GMT)\b| ?([+-])([01]\d):?([0-5]\d)(?![\d:.]))?"
)
# glog writes two digits of the month, since 0.5 behind the year; PyTorch's own logger month * 100 +
# day, unpadded: three digits from January to September (c10/util/Logging.cpp).
_GLOG = regex(
    r"(?<![A-Za-z0-9])[EIWF](20\d\d)?(1[0-2]|0?[1-9])([0-3]\d) (\d\d):(\d\d):(\d\d)"
    r"(?:\.(\d{1,9})|(?= +(?:\d+ +)?[\w./-]+:\d+\]))"
)
_US = regex(r"(\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d)")
# mmengine, detectron2 and vLLM leave the year out; Rich writes two digits of it behind the day.
_SHORT = regex(
    r"\[?(?:(?:DEBUG|INFO|WARNING|ERROR) )?(0[1-9]|1[0-2])[-/]([0-3]\d)(?:/(\d\d))?"
    r" (\d\d):(\d\d):(\d\d)\b"
)
# date(1), dmesg -T and syslog: "Fri Nov 27 11:00:38 2026", "Nov 27 11:00:38 node-3"; in a Chinese
# locale the month is a number ("[五 11月 27 11:00:38 2026]").
_NAMED = regex(
    rf"(?:<\d>)?\[?(?:[A-Z][a-z]{{2}} +|[一二三四五六日] +)?({_NAME}|\d{{1,2}}月) +(\d{{1,2}})"
    r" (\d\d):(\d\d):(\d\d)(?:\.\d+)?(?: ([AP]M)\b)?(?: (?:[A-Z]{3,4} )?(\d{4})\b)?"
)
# date(1) of a locale with the day first, and web servers: "27 Nov 2026 11:00:38", "27/Nov/2026:11:…".
_DAY_FIRST = regex(
    rf"\[?(?:[A-Z][a-z]{{2}},? +)?(\d{{1,2}})[ /-]({_NAME})[ /-](\d{{4}})[ :]"
    r"(\d\d):(\d\d):(\d\d)(?: ([AP]M)\b)?"
)
# Seconds since 1970: journalctl -o short-unix, and structured logs.
_EPOCH = regex(r"\[?(1[5-9]\d{8}\.\d{3,9})\]? ")
_EPOCH_FIELD = regex(
    r"[\"']_?(?:ts|time|timestamp|created)[\"']: ?[\"']?(1[5-9]\d{8}(?:\d{3}\b|\.\d+|\b))"
)
_EPOCH_NAMES = ("time", "ts", "created")
MILLISECONDS = 1e11
# The kernel's ring buffer: seconds since the boot, and the lines that tell what time it then was.
_SINCE_BOOT = regex(r"(?:<\d{1,3}>)?\[\s*(\d{1,9}\.\d{6})\]")
_BOOT_TOLD = regex(r"system clock to [^(]{10,40}\((\d{10})\)|audit\((\d{10}\.\d{3}):\d+\)")
_BOOT_SIGNS = ("system clock to ", "audit(")


class Clock:
    """Reads the times of one file's lines.

    ``year`` completes dates without one. ``written``, when the file was (seconds since 1970), says
    that nobody told it, and that no line is later.
    """

    def __init__(self, year: int = 1970, written: float | None = None) -> None:
        self.year = year
        self.boot: float | None = None  # of a kernel's log, where a line tells it
        self.year_told = written is None
        self._written = written
        self._month = 0
        self._zoned: tuple[float, float] | None = None  # the last time with an offset, and that

    def read(self, head: str) -> float | None:
        """Seconds since 1970: of the UTC offset that the line writes, else of local time.

        A line without an offset, below one that has it, may be of that zone or of the reader's:
        the time nearer to the line above is meant.
        """
        if head[:1] in ("[", "<") and (told := self._kernel(head)) is not None:
            return told
        if ":" not in head:
            return None
        if not _OF_DAY.search(head):
            return _since_1970(head)
        zone: float | None = None
        if found := _ISO.search(head):
            y, m, d, h, i, s, f, utc, sign, hours, minutes = found.groups()
            if utc or sign:
                zone = float(f"{sign}1") * (int(hours) * 3600 + int(minutes) * 60) if sign else 0.0
            return self._time(y, int(m), d, (h, i, s), f, zone)
        if found := _GLOG.search(head):
            y, m, d, h, i, s, f = found.groups()
            return self._time(y, int(m), d, (h, i, s), f)
        if found := _US.search(head):
            m, d, y, h, i, s = found.groups()
            return self._time(y, int(m), d, (h, i, s))
        return self._at_the_start(head)

    def _at_the_start(self, head: str) -> float | None:
        """Clocks that are one only where the line begins with them."""
        if found := _SHORT.match(head):
            m, d, y, h, i, s = found.groups()
            return self._time(f"20{y}" if y else None, int(m), d, (h, i, s))
        if found := _NAMED.match(head):
            name, d, h, i, s, half, y = found.groups()
            return self._time(y, _month(name), d, (_hour_of(h, half), i, s))
        if found := _DAY_FIRST.match(head):
            d, name, y, h, i, s, half = found.groups()
            return self._time(y, _month(name), d, (_hour_of(h, half), i, s))
        return None

    def _kernel(self, head: str) -> float | None:
        """Of a line of the ring buffer, once the time of the boot is known."""
        tells = any(map(head.__contains__, _BOOT_SIGNS))
        if not (tells or self.boot is not None) or not (found := _SINCE_BOOT.match(head)):
            return None
        seconds = float(found[1])
        if tells and (told := _BOOT_TOLD.search(head)):
            self.boot = float(told[1] or told[2]) - seconds
        return None if self.boot is None else self.boot + seconds

    def _time(
        self,
        year: str | None,
        month: int,
        day: str,
        clock: tuple[str, str, str],
        fraction: str | None = None,
        zone: float | None = None,
    ) -> float | None:
        if year:
            self.year, self._written = int(year), None
            self.year_told = True
        elif {self._month, month} == {1, 12}:
            self.year += 1 if month == 1 else -1
        hour = (self.year, month, int(day), int(clock[0]))
        rest = int(clock[1]) * 60 + int(clock[2]) + (float(f"0.{fraction}") if fraction else 0.0)
        told = self._moment(hour, rest, zone)
        if told is not None and self._written and told > self._written + AHEAD_SECONDS:
            self.year -= 1  # the file is of January, and its lines of the December before
            told = self._moment((self.year, *hour[1:]), rest, zone)
        self._month = month
        return told

    def _moment(
        self, hour: tuple[int, int, int, int], rest: float, zone: float | None
    ) -> float | None:
        if zone is not None:
            start = _hour(*hour, local=False)
            self._zoned = None if start is None else (start + rest - zone, zone)
            return self._zoned[0] if self._zoned else None
        start = _hour(*hour, local=True)
        if start is None or self._zoned is None:
            return None if start is None else start + rest
        near, offset = self._zoned
        other = _hour(*hour, local=False)
        written = (start if other is None else other - offset) + rest
        return min(written, start + rest, key=lambda t: abs(t - near))


def _since_1970(head: str) -> float | None:
    found = None
    if head.startswith(("1", "[1")):
        found = _EPOCH.match(head)
    elif head.startswith("{") and any(map(head.__contains__, _EPOCH_NAMES)):
        found = _EPOCH_FIELD.search(head)
    if found is None:
        return None
    seconds = float(found[1])
    return seconds / 1000 if seconds > MILLISECONDS else seconds


def _month(name: str) -> int:
    return int(name[:-1]) if name.endswith("月") else MONTHS.index(name) + 1


def _hour_of(hour: str, half: str | None) -> str:
    """Of a clock with twelve hours that of the day."""
    return str(int(hour) % 12 + 12 * (half == "PM")) if half else hour


def _hour(year: int, month: int, day: int, hour: int, *, local: bool) -> float | None:
    """Seconds since 1970 at which an hour begins, in local time or in UTC."""
    if not (1970 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31 and hour <= 24):
        return None
    return _hours(year, month, day, hour, local, time.timezone)


@lru_cache(maxsize=512)
def _hours(year: int, month: int, day: int, hour: int, local: bool, _zone: int) -> float | None:
    fields = (year, month, day, hour, 0, 0)
    try:
        return time.mktime((*fields, 0, 0, -1)) if local else float(calendar.timegm(fields))
    except (OverflowError, ValueError):
        return None


def of_file(lines: Iterable[str], modified: float) -> Clock:
    """The clock of a file that begins with these lines: the first dated one tells the year of
    those that write none, else ``modified`` does (seconds since 1970; 0 if unknown)."""
    if (line := dated(lines)) is not None and (found := _YEAR.search(line[:HEAD])):
        return Clock(int(next(filter(None, found.groups()))))
    written = modified or time.time()
    return Clock(time.localtime(written).tm_year, written)


def dated(lines: Iterable[str]) -> str | None:
    """The first of the lines that tells its year."""
    return next((line for line in lines if _YEAR.search(line[:HEAD])), None)


def in_year_of(seconds: float, other: float) -> float:
    """The same day and hour in the year of another time (both seconds since 1970)."""
    year, own = time.localtime(other).tm_year, time.localtime(seconds)
    try:
        return time.mktime((year, *own[1:6], 0, 0, -1)) + seconds % 1
    except (OverflowError, ValueError):
        return seconds
