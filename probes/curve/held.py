"""A decay over the whole run that is held at a lowest rate: ``max(0.1, cosine)`` is no short decay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, product

from .numbers import median
from .plan import Plan

CLOSE = 0.01  # of the peak, within which a rate lies on a curve
LEAST = 4  # rates between the peak and the floor
EITHER_WAY = (-1, 0, 1)  # a rate is logged before or after its step
STAIRS, MORE = 3, 1.5  # stairs before the last one; times their usual length


def held(
    steps: Sequence[int], values: Sequence[float], between: tuple[int, int], plan: Plan
) -> bool:
    """Whether the rates ``between`` these two indexes, of the peak and of the floor, lie on a cosine or
    on a line that is zero at the run's end: a schedule that ended early lies on a steeper one."""
    top, floor = between
    inside = range(top + 1, floor)
    if len(inside) < LEAST:
        return False
    peaks = {values[top], plan.peak or values[top]}
    starts = {0, steps[top], plan.warmup or 0}  # many a lambda counts its cosine from step 0
    logged = [(steps[i], values[i]) for i in inside]
    return any(
        all(abs(rate - peak * curve(step + late, start, plan.length)) <= CLOSE * peak
            for step, rate in logged)
        for peak, start, late, curve in product(peaks, starts, EITHER_WAY, (_cosine, _line))
    )  # fmt: skip


def _cosine(step: int, start: int, end: int) -> float:
    return (1 + math.cos(math.pi * _done(step, start, end))) / 2


def _line(step: int, start: int, end: int) -> float:
    return 1 - _done(step, start, end)


def _done(step: int, start: int, end: int) -> float:
    return min(1.0, max(0.0, (step - start) / max(1, end - start)))


def is_stair(values: Sequence[float], at: int) -> bool:
    """Whether the rows from ``at`` to the end are one more stair of a rate that is set anew once an
    epoch, and no floor: they are hardly more than a stair before them has."""
    stairs = [len([*rows]) for _, rows in groupby(values[:at])]
    usual = median(stairs[1:]) if len(stairs) >= STAIRS else 0.0  # the first may be a part of one
    return usual > 1 and len(values) - at <= MORE * usual
