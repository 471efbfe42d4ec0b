"""Which lines of the machine's own log are of the time of the run: those of another time count for
nothing, and those whose time cannot be compared with the run's are a hint and no proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from medic.facts import Hit
from medic.records import replace
from medic.text.patterns import regex

from . import machine
from .clock import in_year_of
from .view import View

# The watchdog of a collective tells how long it waited: the run was there before.
_WAITED = regex(r"ran for (\d{4,9}) milliseconds")
# A process that both name is the same one, whenever they say so.
_KERNELS_PID = regex(r"(?i)\b(?:pid[=: ']{1,3}|process )(\d{3,8})\b")
_RUNS_PID = regex(
    r"(?i)\bpid(?:\(s\))?[=: ]{1,3}(\d{3,8})\b|^\S{1,60}?:(\d{3,8}):\d+ \[\d+\]|"
    r"\bline \d+: +(\d{3,8}) Killed\b"
)


class Span(NamedTuple):
    """When the last attempt began, and its last line that tells a time (seconds since 1970).

    ``open``: work stands above the first line with a time, or a log tells none: it began earlier.
    """

    began: float
    ended: float
    open: bool
    year_told: bool


class Left(NamedTuple):
    """A line of the machine's log that does not count as it would, and why."""

    hit: Hit
    why: Literal["undated", "other-time"]


def span(views: Sequence[View], begun: Mapping[int, Sequence[int]]) -> Span | None:
    """Of the run's own logs; ``begun``: the first line of each attempt but the first, by file."""
    own = [v for v in views if not v.machine]
    times: list[float] = []
    is_open = False
    for view in own:
        first = (begun.get(view.index) or [0])[-1]
        clock = [(line, t) for line, t in view.clock if line >= first]
        times += [t for _, t in clock]
        times += _waited(view, first)
        above = min(
            (s.source.line for s in (*view.steps, *view.progressed)), default=view.last_line
        )
        is_open = is_open or not clock or first <= above < clock[0][0]
    if not times:
        return None
    told = any(v.prefixes.clock.year_told for v in own if v.clock)
    return Span(min(times), max(times), is_open, told)


def _waited(view: View, first: int) -> Iterator[float]:
    for hit in view.scan.hits:
        time = view.time_at(hit.source.line)
        found = _WAITED.search(hit.source.text) if hit.source.line >= first else None
        if found is not None and time is not None:
            yield time - int(found[1]) / 1000


def settle(views: Sequence[View], of_run: Span | None) -> list[Left]:
    """Takes from the machine's logs what was not in the time of the run, and marks as a hint what
    may not have been; tells both."""
    own = [v for v in views if not v.machine and v.last_line]
    pids = set(_pids(own))
    left: list[Left] = []
    for view in views:
        if not view.machine:
            continue
        kept: list[Hit] = []
        for hit in view.scan.hits:
            why = _why(view, hit, of_run) if own else ""
            if why == "undated" and not pids.isdisjoint(_KERNELS_PID.findall(hit.source.text)):
                why = ""
            if why:
                left.append(Left(hit, why))
            if why != "other-time":
                kept.append(replace(hit, shared=True) if why else hit)
        view.scan = replace(view.scan, hits=tuple(kept))
    return left


def _why(view: View, hit: Hit, of_run: Span | None) -> Literal["", "undated", "other-time"]:
    time = view.time_at(hit.source.line)
    if time is None:
        read = view.prefixes.read(hit.source.text)
        time = read.time
    if time is None or of_run is None:
        return "undated"
    if of_run.year_told != view.prefixes.clock.year_told:
        time = in_year_of(time, of_run.began)
    if machine.over_before(time, of_run.began, view.boots):
        return "other-time"
    if machine.near(time, (of_run.began, of_run.ended)):
        return ""
    return "undated" if of_run.open and time < of_run.began else "other-time"


def _pids(views: Sequence[View]) -> Iterator[str]:
    for view in views:
        texts = [h.source.text for h in (*view.scan.hits, *view.scan.marks)]
        texts += [s.text for s in (*view.tail, *view.last_of.values())]
        for text in texts:
            yield from filter(None, (n for pair in _RUNS_PID.findall(text) for n in pair))
