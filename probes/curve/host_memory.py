"""Whether the memory of the training process on the host grows over the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from .memory import between, ends
from .numbers import clean, windows

PHASE, SYMPTOM = "host-memory-phase", "host-memory-grows"
# Libraries, caches and the first save take memory once; a leak takes it at every step.
MIN_POINTS, WINDOWS, RISING_SHARE, GROWTH = 15, 8, 0.8, 0.25
# A cache fills up, and slower towards its end; what is kept at every step grows evenly.
MANIFOLD, PACE = 2.0, 0.7
SETTLED = 0.2  # of the points, while everything is used for the first time


def endless(curve: Curve) -> bool:
    """Whether it grows as much at every step, so that no limit is enough for long."""
    series = curve.series.get("host_memory")
    levels = windows(settled, WINDOWS) if series and (settled := _settled(series)) else []
    return _grows(levels) and _goes_on(levels)


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series.get("host_memory")
    settled = _settled(series) if series is not None else []
    levels = windows(settled, WINDOWS) if settled else []
    if series is not None and _grows(levels):
        _, values, _ = clean(series)
        value, source, more = between(look, series, *ends(values, len(settled), WINDOWS))
        yield Finding(SYMPTOM, value=value, source=source, more=more)
        outcome = "without-end" if _goes_on(levels) else "grows"
        yield Finding(PHASE, outcome, value=value, source=source, more=more)


def _settled(series: Series) -> list[float]:
    """The values behind the start; none of a series that is too short."""
    _, values, _ = clean(series)
    settled = list(values)[int(SETTLED * len(values)) :]
    return settled if len(settled) >= MIN_POINTS else []


def _grows(levels: Sequence[float]) -> bool:
    rises = sum(b > a * 1.005 for a, b in pairwise(levels))
    if not levels or levels[0] <= 0 or levels[-1] < levels[0] * (1 + GROWTH):
        return False
    return rises >= RISING_SHARE * (len(levels) - 1)


def _goes_on(levels: Sequence[float]) -> bool:
    """Whether it is many times what it began with and still grows as it did: no limit is enough."""
    middle = levels[len(levels) // 2]
    goes_on = levels[-1] - middle >= PACE * (middle - levels[0])
    return levels[-1] >= MANIFOLD * levels[0] and goes_on


PROBE = Probe(
    name="curve-host-memory",
    title=Text("memory of the host over the steps", "主机内存变化"),
    tells=(SYMPTOM, PHASE),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.01,
    run=run,
)
