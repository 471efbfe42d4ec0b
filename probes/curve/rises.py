"""A loss that goes up for long, told by ranks: with few points, and where the noise hides a level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from medic.facts import Series

from .numbers import clean, median, windows
from .stuck import trend

FEWEST = 8  # points: ranks of fewer reach no 3 deviations
ABOVE = 1.5  # times the first losses: no noise of a batch is in a median
LEAST = 0.3  # nats
RANKED = 3.0  # deviations of Kendall's test: once in 700 curves without a trend
# A slow rise: of the run, at least; windows of it; the share of pairs of windows that rise; and
# above the lowest window. A harder stage of the data is one step up and falls again.
LONG, COUNT, STEADY, SLOW = 0.4, 20, 0.9, 1.05
RESTS = 1.05  # times the rate in the middle of the run
ONE_STEP = 0.4  # of the whole rise between two windows: a step, not a climb


def above_start(values: Sequence[float]) -> bool:
    """Whether the last third of the losses (nats or any other unit above zero) stands far above all
    of the first ones, with a trend upward over the whole curve."""
    third = len(values) // 3
    if len(values) < FEWEST or min(values) <= 0:
        return False
    start, middle, end = max(values[:3]), median(values[third:-third]), median(values[-third:])
    first = median(values[:third])
    far = end > ABOVE * start and end > start + LEAST
    return far and first < middle < end and trend(values) > RANKED


def slowly(rate: Series | None, values: Sequence[float], noise: float) -> bool:
    """Whether the loss climbs while the learning rate does not: else a restart of the schedule
    explains it."""
    rates = clean(rate)[1] if rate is not None else []
    half = rates[len(rates) // 2 :]
    rests = not half or max(half) <= RESTS * half[0]
    return rests and climbs(values, noise)


def climbs(values: Sequence[float], noise: float) -> bool:
    """Whether the loss has climbed from its lowest window on, steadily and for a good part of the
    run. ``noise``: relative deviation of a single loss."""
    levels = windows(values, COUNT)
    lowest = min(range(len(levels)), key=levels.__getitem__)
    rest = levels[lowest:]
    if len(levels) < COUNT or len(rest) < LONG * len(levels) or rest[0] <= 0:
        return False
    rise = rest[-1] - rest[0]
    if rest[-1] < max(SLOW, 1 + noise) * rest[0] or rise < LEAST:
        return False
    pairs = [b > a for n, a in enumerate(rest) for b in rest[n + 1 :]]
    steps = [b - a for a, b in pairwise(rest)]
    return sum(pairs) >= (1 + STEADY) / 2 * len(pairs) and max(steps) < ONE_STEP * rise
