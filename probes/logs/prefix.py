"""Rank, time and message of a log line, as launchers and loggers write them in front."""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from medic.text.patterns import regex

from .digits import whole

_YEAR = regex(r"\b(20\d\d)[-/]\d\d[-/]\d\d[T _]\d\d:\d\d|\d\d:\d\d:\d\d(?: [A-Z]{3,4})? (20\d\d)\b")
HEAD = 160  # characters in which prefixes are looked for

_RANK = regex(r"\[rank[ _]?(\d{1,5})\]|\[Rank (\d{1,5})\]|\bRank (\d{1,5})\]|^rank[ _]?(\d{1,5})\b")
_MPI = regex(r"\[\d+,(\d{1,5})\]<std(?:out|err)>")
_LOCAL = regex(r"\s*\[default(\d{1,4})\]:|\S+:\d+:\d+ \[(\d{1,3})\] NCCL ")
_BOTH = regex(r"\s*rank\s+: (\d{1,5}) \(local_rank: (\d{1,4})\)")
_ISO = regex(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?"
    r"(?: ?(Z|UTC|GMT)\b| ?([+-])([01]\d):?([0-5]\d)(?![\d:.]))?"
)
# glog writes two digits of the month; PyTorch's own logger month * 100 + day, unpadded: three digits
# from January to September (c10/util/Logging.cpp).
_GLOG = regex(r"(?<![A-Za-z0-9])[EIWF](1[0-2]|0?[1-9])([0-3]\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})")
_US = regex(r"(\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d)")
# mmengine, detectron2 and vLLM leave the year out.
_SHORT = regex(
    r"\[?(?:(?:DEBUG|INFO|WARNING|ERROR) )?(0[1-9]|1[0-2])[-/]([0-3]\d) (\d\d):(\d\d):(\d\d)\b"
)
# date(1), dmesg -T and syslog: "Fri Nov 27 11:00:38 2026", "Nov 27 11:00:38 node-3".
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAMED = regex(
    rf"(?:<\d>)?\[?(?:[A-Z][a-z]{{2}} )?({'|'.join(MONTHS)}) +(\d{{1,2}}) (\d\d):(\d\d):(\d\d)"
    r"(?:\.\d+)?(?: (?:[A-Z]{3,4} )?(\d{4})\b)?"
)
# Anything that stands before the message; repeated.
_LEAD = regex(
    r"(?:\[\d+,\d+\]<std(?:out|err)>: ?|\[(?:default|rank)\d+\]:? ?|"
    r"\([A-Za-z_]\w*(?:\([^)]*\))? pid=[^)]*\) ?)+"
)
# What launchers put in front of every line: srun --label a task number, pdsh and others a host;
# scripts of one's own the rank, in brackets or behind its name.
_TASK = regex(r"\s{0,6}(\d{1,5}):(?: |$)")
_HOSTS = (
    regex(r"(\S{1,60}?): ?"),
    regex(r"(\S{1,60}?) +\| ?"),
    regex(r"\[pod/([^\]\s]{1,100})\] ?"),
)
_HOST_NAME = regex(r"(?!\d{4}-\d\d-\d\dT)[A-Za-z0-9.-]*(?:[-.]\d|\d$|\.[a-z])")
_NAMED_RANK = regex(
    r"\s{0,4}[\[(<]?(?i:(?:global[ _-]?)?rank[ _:=#-]{0,2}|(?:trainer|worker|process|proc|gpu|task|r)[ _:=#]?)(\d{1,5})"
    r"(?:/\d{1,5})?(?:[\])>]:?|:|\||,| -)?(?:\s|(?<=[\]:])|$)"
)
_BRACKETED = regex(r"\s{0,4}[\[(](\d{1,5})[\])]:?(?: |$)")
_OF_HOST = regex(r"\s{0,4}[\w.-]{1,60}:(\d{1,5}): ?")
LABELLED, MOST_HOSTS = 0.9, 16
TASKS = 0.3
_LOGGER = regex(
    r"(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d{4})[T _]\d\d:\d\d:\d\d[.,\d]*"
    r"(?:Z|[+-]\d\d:?\d\d)?\]?|\[rank ?\d+\]:?|\[Rank \d+\]|\[[\w./-]+:\d+(?::\w+)?\]|"
    r"\[?[EIWF]\d{3,4} \d\d:\d\d:\d\d[.\d]*(?: \d+)? \S+:\d+\]|"
    r"\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\]?:?"
    r"(?:\s+(?!\w*(?:step|iter|loss|epoch|update|lr|norm))[\w.]+:(?=\s))?|[|-])\s*"
)


# Numbers in front of lines that may be those of ranks.
_RANKS = (_NAMED_RANK, _BRACKETED, _OF_HOST)


class Prefixed(NamedTuple):
    """``body`` keeps its own indentation; ``message`` is behind time, level and logger, too.

    ``stream`` tells interleaved writers apart: the launcher's prefix as it is written.
    """

    rank: int | None
    local: int | None
    time: float | None
    body: str
    stream: str


class Prefixes:
    """Reads the prefixes of one file's lines.

    ``label`` is what stands in front of each line (see ``label_of``); ``year`` completes glog's
    dates.
    """

    def __init__(
        self, rank: int | None = None, year: int = 1970, label: re.Pattern[str] | None = None
    ) -> None:
        self.rank = rank
        self.year = year
        self.label = label
        self.told: set[int] = set()  # ranks that lines state themselves
        self.first = 0  # the node's first rank, where a line tells both of some rank
        self._globals: dict[int, int] = {}  # local rank -> global rank, where a line tells both
        self._zoned: tuple[float, float] | None = None  # the last time with an offset, and that

    def read(self, text: str) -> Prefixed:
        stream, task = "", None
        if self.label is not None and (label := self.label.match(text)):
            task = whole(label.group(1)) if self.label in (_TASK, *_RANKS) else None
            stream, text = label.group(0), text[label.end() :]
        head = text[:HEAD]
        rank, local = self._ranks(head)
        rank = task if rank is None else rank
        if rank is not None:
            self.told.add(rank)
        lead = _LEAD.match(text)
        if lead:
            stream, text = stream + lead.group(0).strip(), text[lead.end() :]
        if rank is None and local is not None:
            rank = self._globals.get(local, local + self.first)
        return Prefixed(self.rank if rank is None else rank, local, self.time(head), text, stream)

    def _ranks(self, head: str) -> tuple[int | None, int | None]:
        rank = local = None
        at = head.find("ank")
        if at > 0 and (found := _RANK.search(head, max(0, at - 2))):
            rank = whole(next(g for g in found.groups() if g))
        elif "]<std" in head and (found := _MPI.match(head)):
            rank = whole(found.group(1))
        if ("[default" in head or " NCCL " in head) and (found := _LOCAL.match(head)):
            local = int(found.group(1) or found.group(2))
        if "local_rank: " in head and (both := _BOTH.match(head)):
            self.first = max(0, int(both[1]) - int(both[2]))
        if rank is not None and local is not None:
            self._globals.setdefault(local, rank)
        return rank, local

    def time(self, head: str) -> float | None:
        """Seconds since 1970: of the UTC offset that the line writes, else of local time.

        A line without an offset, below one that has it, may be of that zone or of the reader's:
        the time nearer to the line above is meant.
        """
        if ":" not in head:
            return None
        zone: float | None = None
        if found := _ISO.search(head):
            y, m, d, h, i, s, f, utc, sign, hours, minutes = found.groups()
            self.year = int(y)
            if utc or sign:
                zone = float(f"{sign}1") * (int(hours) * 3600 + int(minutes) * 60) if sign else 0.0
        elif found := _GLOG.search(head):
            m, d, h, i, s, f = found.groups()
        elif found := _US.search(head):
            m, d, y, h, i, s = found.groups()
            self.year, f = int(y), ""
        elif found := _SHORT.match(head):
            m, d, h, i, s = found.groups()
            f = ""
        elif found := _NAMED.match(head):
            name, d, h, i, s, y = found.groups()
            y, m, f = y or str(self.year), str(MONTHS.index(name) + 1), ""
            self.year = int(y)
        else:
            return None
        rest = int(i) * 60 + int(s) + (float(f"0.{f}") if f else 0.0)
        return self._moment((self.year, int(m), int(d), int(h)), rest, zone)

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


_FILE_RANK = regex(
    r"(?:^|[^a-z0-9])(?:local[_-]?|global[_-]?)?rank[_.-]?(\d{1,5})(?![0-9])|"
    r"^log_(\d{1,5})\.txt$|^slurm-\d+[_.](\d{1,5})\.(?:out|err)$",
    re.IGNORECASE,
)
_FOLDER_RANK = regex(r"(?:(?:local[_-]?)?rank[_-]?)?(\d{1,5})", re.IGNORECASE)


def rank_of_file(path: str) -> int | None:
    """The rank whose log a file is, by its name, or by its folder (torchrun's ``0/stdout.log``)."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    if found := _FILE_RANK.search(name):
        return whole(next(g for g in found.groups() if g))
    last = _FOLDER_RANK.fullmatch(folder.rpartition("/")[2])
    if last and re.match(r"(?:std(?:out|err)|error|train|log|output)\b", name):
        return whole(last.group(1))
    return None


@lru_cache(maxsize=8)
def message(body: str) -> str:
    """The words of a log line, behind time, level, logger and rank."""
    position = 0
    while found := _LOGGER.match(body, position):
        position = found.end()
    return body[position:]


def label_of(lines: list[str]) -> re.Pattern[str] | None:
    """What a launcher put in front of nearly every line, if it did: a task number or a host."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < 5:
        return None
    tasks = [found.group(1) for line in filled if (found := _TASK.match(line))]
    # What a batch script and srun itself print carries no label, so that fewer lines are enough
    # where the numbers come again; a count of lines does not.
    again = len(tasks) >= 5 and len(set(tasks)) <= len(tasks) / 2
    if len(tasks) >= (TASKS if again else LABELLED) * len(filled):
        return _TASK
    for pattern in _RANKS:
        told = [found.group(1) for line in filled if (found := pattern.match(line))]
        if len(told) >= LABELLED * len(filled) and _interleaved(told):
            return pattern
    for pattern in _HOSTS:
        names = [found.group(1) for line in filled if (found := pattern.match(line))]
        hosts = [name for name in names if _HOST_NAME.match(name)]
        if len(hosts) >= LABELLED * len(filled) and len(set(hosts)) <= MOST_HOSTS:
            return pattern
    return None


def _interleaved(numbers: list[str]) -> bool:
    """Whether they are those of writers that take turns: a count of steps or epochs only rises."""
    return (
        len(set(numbers)) >= 2
        and any(int(a) > int(b) for a, b in pairwise(numbers))
        and (len(set(numbers)) <= len(numbers) / 2)
    )


def year_told(lines: Iterable[str]) -> int | None:
    """The year that the first dated line tells, for those that write none."""
    for line in lines:
        if (found := _YEAR.search(line[:HEAD])) is not None:
            return int(found[1] or found[2])
    return None
