"""The learning rate as it was logged: warmup, peak, floor, and how it ended."""

from __future__ import annotations

import math
from dataclasses import dataclass

from medic.facts import Series

from .stats import MIN_POINTS

# Rates within this share of each other are the same: loggers print four digits.
SAME = 0.01
# Floor before 95% of the run: the check's threshold. As a symptom it must be lower and earlier:
# schedules that end a little early at a tenth of the peak are usual.
FLOOR_EARLY, COLLAPSED_SHARE, COLLAPSED_LEVEL = 0.95, 0.8, 0.2
# A floor is told by at least this share of the run and these many points without any change.
TAIL_SHARE, TAIL_POINTS = 0.05, 3
# A schedule that decays takes many values; one that drops in steps takes few.
SMOOTH_VALUES = 5
PEAK = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """Finite points of the learning rate."""

    steps: tuple[int, ...]
    values: tuple[float, ...]
    lines: tuple[int, ...]
    file: str

    @property
    def peak(self) -> float:
        return max(self.values)

    def at(self, step: int) -> float:
        """The rate at or before a step."""
        found = self.values[0]
        for own, value in zip(self.steps, self.values, strict=True):
            if own > step:
                break
            found = value
        return found


def rate(series: Series | None) -> Rate | None:
    """The usable points; None if there are too few."""
    if series is None:
        return None
    kept = [
        (s, v, n)
        for s, v, n in zip(series.steps, series.values, series.lines, strict=True)
        if math.isfinite(v) and v >= 0
    ]
    if len(kept) < MIN_POINTS or max(v for _, v, _ in kept) <= 0:
        return None
    steps, values, lines = zip(*kept, strict=True)
    return Rate(steps, values, lines, series.file)


def constant(of: Rate) -> bool:
    """By design: the rate never changes after its warmup."""
    first = peak_index(of)
    return all(abs(v - of.peak) <= SAME * of.peak for v in of.values[first:])


def peak_index(of: Rate) -> int:
    """The first point at the peak."""
    return next(i for i, v in enumerate(of.values) if v >= (1 - SAME) * of.peak)


def floor_index(of: Rate) -> int | None:
    """Where a smooth decay reaches its floor and stays there to the last point; None if it does not."""
    floor = of.values[-1]
    if floor >= (1 - SAME) * of.peak or min(of.values[peak_index(of) :]) < floor - SAME * of.peak:
        return None
    near = max(SAME * floor, 1e-4 * of.peak)
    index = len(of.values) - 1
    while index > 0 and abs(of.values[index - 1] - floor) <= near:
        index -= 1
    tail = len(of.values) - index
    length = of.steps[-1] - of.steps[index]
    if tail < TAIL_POINTS or length < TAIL_SHARE * max(of.steps[-1], 1):
        return None
    return index if _smooth(of, index) else None


def _smooth(of: Rate, index: int) -> bool:
    """Whether the rate came down through many values, not in a step or two."""
    decay = of.values[peak_index(of) : index]
    distinct = {f"{v:.3g}" for v in decay}
    return len(distinct) >= min(SMOOTH_VALUES, max(len(decay) // 2, 1)) and len(decay) > 1


def rising_to_the_end(of: Rate) -> bool:
    """Whether the rate still climbed at its last point, and never fell."""
    falls = any(b < a * (1 - SAME) for a, b in zip(of.values, of.values[1:], strict=False))
    half = of.values[len(of.values) // 2]
    return not falls and of.values[-1] > half * 1.2 and peak_index(of) >= len(of.values) - 2


def from_the_start(of: Rate) -> bool:
    """Whether the first optimizer steps ran at the peak already."""
    return of.steps[0] <= 2 and of.values[0] >= PEAK * of.peak
