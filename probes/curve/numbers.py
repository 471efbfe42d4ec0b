"""Robust statistics over logged series."""

from __future__ import annotations

import math
from collections.abc import Sequence

from medic.facts import Series


def finite(values: Sequence[float]) -> list[float]:
    return [v for v in values if math.isfinite(v)]


def median(values: Sequence[float]) -> float:
    """Middle of the finite values; NaN if there are none."""
    ordered = sorted(finite(values))
    if not ordered:
        return math.nan
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def spread(values: Sequence[float]) -> float:
    """Median absolute deviation."""
    centre = median(values)
    return median([abs(v - centre) for v in finite(values)])


def typical(values: Sequence[float], *, late: bool = False) -> int:
    """Index of the finite value nearest the median: the row that stands for a stretch, so that a
    number that is told is one of its row. Of equals it is the first, or the last."""
    centre = median(values)
    known = [n for n, v in enumerate(values) if math.isfinite(v)]
    return min(reversed(known) if late else known, key=lambda n: abs(values[n] - centre))


def windows(values: Sequence[float], count: int) -> list[float]:
    """Medians of up to ``count`` equal stretches, in order."""
    kept = finite(values)
    size = max(1, len(kept) // count)
    return [median(kept[i : i + size]) for i in range(0, len(kept) - size + 1, size)]


def clean(series: Series) -> tuple[list[int], list[float], list[int]]:
    """Steps, values and lines of the finite points."""
    kept = [
        (s, v, n)
        for s, v, n in zip(series.steps, series.values, series.lines, strict=True)
        if math.isfinite(v)
    ]
    return [k[0] for k in kept], [k[1] for k in kept], [k[2] for k in kept]


def value_at(series: Series | None, step: int) -> float | None:
    """The value logged for a step, or None."""
    if series is None:
        return None
    for s, v in zip(series.steps, series.values, strict=True):
        if s == step:
            return v
    return None


def nearest_before(series: Series | None, step: int) -> float | None:
    """The newest value at or before a step."""
    found = None
    if series is not None:
        for s, v in zip(series.steps, series.values, strict=True):
            if s > step:
                break
            found = v
    return found


# Errors of a median of n points: 1.25 / sqrt(n) standard deviations. Five of them are no chance.
SIGMAS, MEDIAN_ERROR = 5.0, 1.2533


def chance(noise: float, one: int, other: int) -> float:
    """The ratio that medians of ``one`` and ``other`` points of a flat curve do not reach, whose
    points scatter by ``noise`` (relative)."""
    error = MEDIAN_ERROR * noise * math.sqrt(1 / one + 1 / other)
    return math.exp(SIGMAS * error)
