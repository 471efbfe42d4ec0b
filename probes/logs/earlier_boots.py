"""Lines of the kernel in the log of a run, pasted with it: those of days, or a boot, before it, and
of days after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from medic.facts import Hit
from medic.text.patterns import regex

from . import machine
from .view import View

# Faults of a program, which tell on which card it ran, and other events of a card.
_XID = regex(r"NVRM: Xid \(PCI:([0-9A-Fa-f:.]+)\): (\d+)")
_OF_A_PROGRAM = frozenset(["13", "31"])


def of(view: View) -> Callable[[Hit], bool]:
    """Whether a hit is a kernel's line of another time than the run that the other lines of its file
    tell of, or of a card that is not the one on which a program failed long after it.

    A machine's own log is held against the run by ``merge``.
    """
    if view.machine or not any(machine.is_line(h.source.text) for h in view.scan.hits):
        return lambda _: False
    times = list(_of_the_run(view))
    began = min(times, default=None)
    ended = max(times, default=None)
    programs = list(_programs(view))

    def before(hit: Hit) -> bool:
        if not machine.is_line(hit.source.text):
            return False
        time = view.time_at(hit.source.line)
        if machine.over_before(time, began, view.boots) or machine.days_after(time, ended):
            return True
        found = _XID.search(hit.source.text)
        return found is not None and _elsewhere(found.group(1), time, programs)

    return before


def _programs(view: View) -> Iterator[tuple[str, float]]:
    """(card, time) of the faults of programs."""
    for hit in view.scan.hits:
        found, time = _XID.search(hit.source.text), view.time_at(hit.source.line)
        if found is not None and found.group(2) in _OF_A_PROGRAM and time is not None:
            yield found.group(1), time


def _elsewhere(card: str, time: float | None, programs: list[tuple[str, float]]) -> bool:
    later = [
        other for other, t in programs if time is not None and t > time + machine.AFTER_SECONDS
    ]
    return bool(later) and all(other != card for other in later)


def _of_the_run(view: View) -> Iterator[float]:
    """Times that lines of the run tell."""
    sources = [s.source for s in (*view.steps, *view.progressed)]
    sources += [t.source for t in view.tracebacks]
    sources += [h.source for h in (*view.scan.hits, *view.scan.marks)]
    for source in sources:
        if not machine.is_line(source.text) and (time := view.time_at(source.line)) is not None:
            yield time
