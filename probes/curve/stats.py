"""Robust statistics of a curve: medians, so that single odd values do not move them."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence
from statistics import median

# Normal noise: the standard deviation is 1.4826 times the median absolute deviation.
MAD_TO_SIGMA = 1.4826
# Fewer logged points than this tell no shape.
MIN_POINTS = 10


def spread(values: Sequence[float]) -> float:
    """The standard deviation as the median absolute deviation estimates it."""
    if len(values) < 2:
        return 0.0
    middle = median(values)
    return MAD_TO_SIGMA * median([abs(v - middle) for v in values])


def baselines(values: Sequence[float], window: int) -> list[float]:
    """For each point the median of up to ``window`` points before it; the first is its own."""
    ordered: list[float] = []
    recent: deque[float] = deque()
    result: list[float] = []
    for value in values:
        result.append(_middle(ordered) if ordered else value)
        insort(ordered, value)
        recent.append(value)
        if len(recent) > window:
            del ordered[bisect_left(ordered, recent.popleft())]
    return result


def _middle(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def log_ratios(values: Sequence[float], bases: Sequence[float]) -> list[float]:
    """ln(value / baseline): a loss of 2 and one of 0.2 are judged alike. All must be positive."""
    return [math.log(v / b) for v, b in zip(values, bases, strict=True)]


def noise(values: Sequence[float], window: int = 5) -> float:
    """Relative noise of a positive curve: spread of ln ratios to a short median, no trend."""
    return spread(log_ratios(values, baselines(values, window))[1:])


def bins(values: Sequence[float], count: int) -> list[list[float]]:
    """``count`` parts of nearly equal length, in order."""
    size = len(values) / count
    return [list(values[round(i * size) : round((i + 1) * size)]) for i in range(count)]
