"""How GPU memory moves over the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Curve, Series, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import needs
from .numbers import clean, median, typical, windows
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
        yield from _grows(*between(look, series, 0, len(values) - 1))
        return
    if len(settled) < MIN_POINTS:
        yield Skip(needs.MORE_MEMORY, check="memory-over-steps")
        return
    levels = windows(settled, WINDOWS)
    begin, end = levels[0], levels[-1]
    value, source, more = between(look, series, *ends(values, len(settled), WINDOWS))
    share = look.threshold("growth-share")
    if begin <= 0 or end < begin * (1 + share):
        yield Finding("memory-over-steps", "steady", value=value, source=source, more=more)
        return
    rises = sum(b > a * 1.001 for a, b in pairwise(levels))
    if rises >= RISING_SHARE * (len(levels) - 1):
        yield from _grows(value, source, more)
    elif _one_jump(settled, begin, end):
        yield Finding("memory-over-steps", "one-jump", value=value, source=source, more=more)
    else:
        yield Finding("memory-over-steps", "steady", value=value, source=source, more=more)


def ends(values: Sequence[float], settled: int, count: int) -> tuple[int, int]:
    """Indices of the rows that stand for the first and the last of ``count`` stretches of the
    last ``settled`` values."""
    begin, size = len(values) - settled, max(1, settled // count)
    late = begin + size * (settled // size - 1)
    first, last = values[begin : begin + size], values[late : late + size]
    return begin + typical(first), late + typical(last, late=True)


def between(
    look: Look, series: Series, one: int, other: int
) -> tuple[dict[str, Any], Source, tuple[Source, ...]]:
    """Two of the finite rows of a memory: their sizes and steps, the later line and the earlier."""
    steps, values, _ = clean(series)
    value = {"from": gib(values[one], 2), "from_step": int(steps[one])}
    value |= {"to": gib(values[other], 2), "step": steps[other]}
    first, last = (source_at(look, series, series.steps.index(steps[n])) for n in (one, other))
    return value, last, (first,)


def _grows(value: dict[str, Any], source: Source, more: tuple[Source, ...]) -> Iterator[Finding]:
    yield Finding("memory-over-steps", "grows-every-step", value=value, source=source, more=more)
    yield Finding("gpu-memory-grows", value=value, source=source, more=more)


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
