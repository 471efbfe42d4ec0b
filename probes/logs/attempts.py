"""Where the last attempt of a log begins: after launches, failures and step resets."""

from __future__ import annotations

import re
from itertools import pairwise

from medic.text.patterns import regex

from ..curve.numbers import median
from .view import View

# A counter that starts again is a restart only after a pause: longer than this, in seconds and in
# gaps between logged steps. An evaluation between epochs is shorter than a restart.
PAUSE_SECONDS, PAUSE_GAPS = 60.0, 20.0
_ATTEMPT = regex(r"(?:^|/)attempt_(\d+)/")
CHILD = "child-failure"  # what torchrun's agent, or another launcher, says of a worker
EXITED = regex(r"exitcode: -?\d|exits? (?:with|code)|return code = -?[1-9]")
_EPOCH = regex(r"\bepoch\b", re.IGNORECASE)

Event = tuple[int, str, int, int | None, float | None]  # line, kind, step, rank, time


def attempt_folder(name: str) -> int | None:
    """torchrun keeps each restart of its workers in a folder of its own."""
    found = _ATTEMPT.search(name.replace("\\", "/"))
    return int(found.group(1)) if found else None


def starts(view: View) -> list[int]:
    """The first line of each attempt but the first one."""
    begins: list[int] = []
    last: dict[int | None, tuple[int, float | None]] = {}
    active = ended = False
    gone: float | None = (
        None  # when the launcher said that a worker had failed: it ends all of them
    )
    pause = _usual_gap(view) * PAUSE_GAPS
    for line, kind, step, rank, time in _events(view):
        if kind == "launch":
            if active:
                begins.append(line)
                last, active, ended, gone = {}, False, False, None
        elif kind == "launcher":
            gone = time
        elif kind == "row":
            if _later(time, gone):
                begins.append(line)
                last, ended, gone = {}, False, None
        elif kind in ("failure", "over"):
            active = ended = True
        else:
            before = last.get(rank)
            if before and step < before[0] and (ended or _paused(before[1], time, pause)):
                begins.append(line)
                last, ended = {}, False
            last[rank] = step, time
            active = True
    return begins


def _events(view: View) -> list[Event]:
    events: list[Event] = [(line, "launch", 0, None, None) for line in view.launches]
    events += [
        (s.source.line, "step", s.step, s.source.rank, s.source.time)
        for s in view.steps
        if not _of_epoch(s.source.text) and ("loss" in s.values or not s.values)
    ]
    events += [
        (m.source.line, "launcher", 0, None, view.known_at(m.source.line))
        for m in view.scan.marks
        if m.signature == CHILD and EXITED.search(m.source.text)
    ]
    events += [(s.source.line, "row", 0, None, s.source.time) for s in view.steps if s.values]
    events += [(line, "over", 0, None, None) for line in view.overs]
    events += [(t.source.line, "failure", 0, None, None) for t in view.tracebacks if t.uncaught]
    events += [
        (h.source.line, "failure", 0, None, None)
        for h in view.scan.hits
        if h.role in ("root", "victim") and not h.benign and not h.goes_on
    ]
    return sorted(events, key=lambda e: e[0])


def _of_epoch(text: str) -> bool:
    return "epoch" in text.lower() and _EPOCH.search(text) is not None


def _usual_gap(view: View) -> float:
    times = [s.source.time for s in view.steps if s.source.time is not None]
    gaps = [b - a for a, b in pairwise(times) if b > a]
    return median(gaps) if gaps else 0.0


def _later(now: float | None, before: float | None) -> bool:
    """By the clock: what failed may have its own steps behind that line, which were buffered."""
    return now is not None and before is not None and now > before


def _paused(before: float | None, now: float | None, pause: float) -> bool:
    if before is None or now is None:
        return False
    return now - before > max(PAUSE_SECONDS, pause)
