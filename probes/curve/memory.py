"""How GPU memory moves over the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Curve, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import needs
from .numbers import clean, median, windows
from .plan import source_at

MIN_POINTS = 30
RISING_SHARE = 0.8
WINDOWS = 10
# A leak that fills the card before the level could settle adds the same from the first steps on,
# as no allocator does that is warming up.
FAST, EVEN = 6, 0.2


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series.get("memory")
    if series is None:
        yield Skip(needs.MEMORY, check="memory-over-steps")
        return
    steps, values, _ = clean(series)
    if len(values) >= FAST and not any(values):
        source = source_at(look, series, len(series.steps) - 1)
        count = {"count": len(values)}
        yield Finding("memory-over-steps", "none-allocated", value=count, source=source)
        return
    settled = [v for s, v in zip(steps, values, strict=True) if s > look.threshold("settle-steps")]
    if len(settled) < MIN_POINTS and _adds_the_same(values):
        value = {"from": gib(values[0], 2), "to": gib(values[-1], 2), "step": steps[-1]}
        yield from _grows(value, source_at(look, series, len(series.steps) - 1))
        return
    if len(settled) < MIN_POINTS:
        yield Skip(needs.MORE_MEMORY, check="memory-over-steps")
        return
    levels = windows(settled, WINDOWS)
    begin, end = levels[0], levels[-1]
    source = source_at(look, series, len(series.steps) - 1)
    value = {"from": gib(begin, 2), "to": gib(end, 2), "step": steps[-1]}
    share = look.threshold("growth-share")
    if begin <= 0 or end < begin * (1 + share):
        yield Finding("memory-over-steps", "steady", value=value, source=source)
        return
    rises = sum(b > a * 1.001 for a, b in pairwise(levels))
    if rises >= RISING_SHARE * (len(levels) - 1):
        yield from _grows(value, source)
    elif _one_jump(settled, begin, end):
        yield Finding("memory-over-steps", "one-jump", value=value, source=source)
    else:
        yield Finding("memory-over-steps", "steady", value=value, source=source)


def _grows(value: dict[str, Any], source: Source) -> Iterator[Finding]:
    yield Finding("memory-over-steps", "grows-every-step", value=value, source=source)
    yield Finding("gpu-memory-grows", value=value, source=source)


def _adds_the_same(values: Sequence[float]) -> bool:
    """Whether each step but the first, in which the states are made, adds the same."""
    added = [b - a for a, b in pairwise(values)][1:]
    usual = median(added) if len(added) >= FAST else 0.0
    return usual > 0 and all(abs(a - usual) <= EVEN * usual for a in added)


def _one_jump(values: list[float], begin: float, end: float) -> bool:
    """Flat, one rise that is most of the growth, flat again."""
    largest = max(b - a for a, b in pairwise(values))
    return largest >= 0.8 * (end - begin) and median(values[-5:]) > begin


PROBE = Probe(
    name="curve-memory",
    title=Text("GPU memory over the steps", "显存变化"),
    tells=("memory-over-steps", "gpu-memory-grows"),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
