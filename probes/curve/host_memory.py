"""Whether the memory of the training process on the host grows over the steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from .memory import between, ends
from .numbers import clean, windows

PHASE, SYMPTOM = "host-memory-phase", "host-memory-grows"
# Libraries, caches and the first save take memory once; a leak takes it at every step.
MIN_POINTS, WINDOWS, RISING_SHARE, GROWTH = 15, 8, 0.8, 0.25
SETTLED = 0.2  # of the points, while everything is used for the first time


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series.get("host_memory")
    if series is None:
        return
    _, values, _ = clean(series)
    settled = list(values)[int(SETTLED * len(values)) :]
    if len(settled) < MIN_POINTS:
        return
    levels = windows(settled, WINDOWS)
    rises = sum(b > a * 1.005 for a, b in pairwise(levels))
    if levels[0] <= 0 or levels[-1] < levels[0] * (1 + GROWTH):
        return
    if rises >= RISING_SHARE * (len(levels) - 1):
        value, source, more = between(look, series, *ends(values, len(settled), WINDOWS))
        yield Finding(SYMPTOM, value=value, source=source, more=more)
        yield Finding(PHASE, "grows", value=value, source=source, more=more)


PROBE = Probe(
    name="curve-host-memory",
    title=Text("memory of the host over the steps", "主机内存变化"),
    tells=(SYMPTOM, PHASE),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.01,
    run=run,
)
