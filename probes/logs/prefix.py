"""Rank, time and message of a log line, as launchers and loggers write them in front."""

from __future__ import annotations

import calendar
import re
from functools import lru_cache
from typing import NamedTuple

HEAD = 160  # characters in which prefixes are looked for

_RANK = re.compile(
    r"\[rank[ _]?(?P<rank>\d{1,5})\]|\[Rank (?P<ds>\d{1,5})\]|\bRank (?P<pg>\d{1,5})\]|"
    r"^\[\d+,(?P<mpi>\d{1,5})\]<std(?:out|err)>|^\s*\[default(?P<local>\d{1,4})\]:|"
    r"^rank[ _]?(?P<word>\d{1,5})\b|^\S+:\d+:\d+ \[(?P<device>\d{1,3})\] NCCL "
)
_TIME = re.compile(
    r"(?P<y>\d{4})[-/](?P<m>\d\d)[-/](?P<d>\d\d)[T _](?P<h>\d\d):(?P<i>\d\d):(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?|"
    r"\b[EIWF](?P<gm>\d\d)(?P<gd>\d\d) (?P<gh>\d\d):(?P<gi>\d\d):(?P<gs>\d\d)\.(?P<gf>\d{1,9})|"
    r"\b(?P<um>\d\d)/(?P<ud>\d\d)/(?P<uy>\d{4}) (?P<uh>\d\d):(?P<ui>\d\d):(?P<us>\d\d)"
)
# Anything that stands before the message; repeated.
_LEAD = re.compile(
    r"(?:\[\d+,\d+\]<std(?:out|err)>: ?|\[(?:default|rank)\d+\]:? ?|\([A-Za-z_]\w*(?:\([^)]*\))? pid=[^)]*\) ?)+"
)
_TASK = re.compile(r"\s{0,6}(\d{1,5}): ?")
_LOGGER = re.compile(
    r"(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d{4})[T _]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?|"
    r"\[rank ?\d+\]:?|\[Rank \d+\]|\[[\w./-]+:\d+(?::\w+)?\]|\[?[EIWF]\d{4} \d\d:\d\d:\d\d[.\d]*(?: \d+)? \S+:\d+\]|"
    r"\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\]?:?(?:\s+[\w.]+:(?=\s))?|[|-])\s*"
)


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

    ``tasks`` says that ``srun --label`` numbers each line; ``year`` completes glog's dates.
    """

    def __init__(self, rank: int | None = None, year: int = 1970, *, tasks: bool = False) -> None:
        self.rank = rank
        self.year = year
        self.tasks = tasks
        self._globals: dict[int, int] = {}  # local rank -> global rank, where a line tells both

    def read(self, text: str) -> Prefixed:
        head = text[:HEAD]
        rank, local = self._ranks(head)
        stream = ""
        if self.tasks and (task := _TASK.match(text)):
            rank = int(task.group(1)) if rank is None else rank
            stream, text = task.group(0), text[task.end() :]
        lead = _LEAD.match(text)
        if lead:
            stream, text = stream + lead.group(0).strip(), text[lead.end() :]
        if rank is None and local is not None:
            rank = self._globals.get(local, local)
        return Prefixed(self.rank if rank is None else rank, local, self.time(head), text, stream)

    def _ranks(self, head: str) -> tuple[int | None, int | None]:
        rank = local = None
        for found in _RANK.finditer(head):
            kind = found.lastgroup
            number = int(found.group(kind)) if kind else 0
            if kind in ("local", "device"):
                local = number if local is None else local
            elif rank is None:
                rank = number
        if rank is not None and local is not None:
            self._globals.setdefault(local, rank)
        return rank, local

    def time(self, head: str) -> float | None:
        """Seconds since 1970 as if the line were in UTC; only differences mean something."""
        found = _TIME.search(head)
        if found is None:
            return None
        y, m, d, h, i, s, f, gm, gd, gh, gi, gs, gf, um, ud, uy, uh, ui, us = found.groups()
        if gm:
            y, m, d, h, i, s, f = self.year, gm, gd, gh, gi, gs, gf
        elif um:
            y, m, d, h, i, s = uy, um, ud, uh, ui, us
        else:
            self.year = int(y)
        day = _day(int(y), int(m), int(d))
        if day is None:
            return None
        return day + int(h) * 3600 + int(i) * 60 + int(s) + (float(f"0.{f}") if f else 0.0)


@lru_cache(maxsize=512)
def _day(year: int, month: int, day: int) -> float | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return float(calendar.timegm((year, month, day, 0, 0, 0)))


def message(body: str) -> str:
    """The words of a log line, behind time, level, logger and rank."""
    position = 0
    while found := _LOGGER.match(body, position):
        position = found.end()
    return body[position:]


def numbered(lines: list[str]) -> bool:
    """Whether ``srun --label`` put a task number in front of the lines (nearly all of them)."""
    filled = [line for line in lines if line.strip()]
    return len(filled) >= 5 and sum(bool(_TASK.match(x)) for x in filled) >= 0.9 * len(filled)
