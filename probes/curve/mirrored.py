"""A cosine that is evaluated past its end: the rate comes back the way it fell.

torch's CosineAnnealingLR has its lowest rate at T_max and is periodic, transformers' cosine with
warmup likewise: no step beyond the length that it was built with raises an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Curve, Series
from medic.probe import SAYS, Finding, Look, config_of

from .again import CYCLES
from .numbers import clean
from .plan import Plan, source_at
from .rate_leaps import RISES
from .schedule_pace import CHECK, FACTORS, NOT_AS_SET, PACE

LEAST = 6  # logged rates on either side of the turn
LOW, BACK = 0.15, 0.15  # of the peak: the turn lies below it, and the rate comes back by as much
CLOSE = 0.04  # of the peak: a rate is logged before or after its step
EVERY = 0.9  # of the rates


def judge(look: Look, curve: Curve, series: Series, plan: Plan) -> Iterator[Finding]:
    stated = config_of(look).get("lr_schedule")
    if curve.resumed_at or plan.resumed or (isinstance(stated, str) and CYCLES.search(stated)):
        return
    steps, values, _ = clean(series)
    found = turn(steps, values)
    if found is None:
        return
    at, top = found
    source = source_at(look, series, series.steps.index(steps[at]))
    later = source_at(look, series, series.steps.index(steps[top]))
    value = {"turn": steps[at], "floor": values[at], "step": steps[top], "after": values[top]}
    yield Finding(PACE, "past-its-end", value | {"total": plan.length}, source, more=(later,))
    yield Finding(NOT_AS_SET, value={**value, SAYS: RISES}, source=later, more=(source,))
    yield from _calls(look, plan, steps, at)


def _calls(look: Look, plan: Plan, steps: Sequence[int], at: int) -> Iterator[Finding]:
    """Whether the turn is where the planned steps end that are counted several times each."""
    config = config_of(look)
    known = [(n, name) for field, name in FACTORS if (n := config.integer(field))]
    if not plan.steps or not known:
        return
    for factor, name in known:
        if factor >= 2 and steps[at - 1] <= plan.steps / factor <= steps[at + 1]:
            told = {"step": steps[at], "total": plan.steps, "factor": factor, "what": name}
            yield Finding(CHECK, "more-than-once", value=told)
            return
    yield Finding(CHECK, "once")


def turn(steps: Sequence[int], values: Sequence[float]) -> tuple[int, int] | None:
    """Indices of the lowest rate behind the first peak and of the one that it rises to, where what
    is before and behind it is one cosine; None where the rate ends there, leaps, or follows another
    curve (cyclic schedules are linear, a warmup is, too)."""
    peak = max(values, default=0.0)
    if len(values) < 2 * LEAST + 1 or peak <= 0:
        return None
    top = next(n for n, v in enumerate(values) if v >= 0.98 * peak)
    low = next((n for n in range(top, len(values)) if _is_lowest(values, n, LOW * peak)), None)
    if low is None or low - top < LEAST or len(values) - low <= LEAST:
        return None
    end = next(
        (n for n in range(low, len(values) - 1) if values[n + 1] < values[n]), len(values) - 1
    )
    if end - low < LEAST or values[end] - values[low] < BACK * peak:
        return None
    fits = max(
        _fit(steps, values, range(top, end + 1), begin, steps[low] + shift)
        for begin in (steps[top], steps[top] - 1, 0)
        for shift in (-1, 0, 1)
    )
    return (low, end) if fits >= EVERY else None


def _is_lowest(values: Sequence[float], at: int, below: float) -> bool:
    behind = values[at + 1 : at + 1 + LEAST]
    return values[at] <= below and bool(behind) and values[at] <= min(behind)


def _fit(steps: Sequence[int], values: Sequence[float], span: range, begin: int, end: int) -> float:
    """The share of rates near a cosine from the peak at ``begin`` to its lowest at ``end``, and on."""
    if end <= begin:
        return 0.0
    peak, floor = max(values), min(values[n] for n in span)
    near = 0
    for n in span:
        wave = (1 + math.cos(math.pi * (steps[n] - begin) / (end - begin))) / 2
        near += abs(values[n] - floor - (peak - floor) * wave) <= CLOSE * peak
    return near / len(span)
