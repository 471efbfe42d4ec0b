"""What a training loss does: jumps, divergence, growing swings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from medic.facts import Series

from .stats import MIN_POINTS, baselines, bins, log_ratios, noise

# The baseline of a jump: the median of the points before it, as the check's threshold says.
WINDOW = 50
# A jump beyond 1.5 times the baseline (BLOOM-176B: 2.3 to 5.1; a healthy curve stays below 1.2), or
# 30% above the level of an untrained model, ln(vocabulary), which a sound optimizer never exceeds.
JUMP_RATIO, ABOVE_START, LEAST_RATIO = 1.5, 1.3, 1.2
# And beyond the noise of the curve itself: 6 standard deviations of a normal one come once in 5e8
# points; batches of a few samples are far noisier than large ones.
JUMP_SIGMAS = 6.0
# A spike is over when the loss is back within this of its baseline.
BACK_RATIO = 1.1
# Divergence: the last tenth of the run lies this far above its best tenth.
DIVERGES_RATIO = 1.3
# Oscillation: the noise grew fourfold, to at least 10% of the loss.
SWING_GROWTH, SWING_LEAST, SWING_POINTS = 4.0, 0.1, 60


@dataclass(frozen=True, slots=True)
class Jump:
    """A loss that leaves its level: points ``first`` to before ``back`` (None: it stays away)."""

    first: int
    top: int
    back: int | None
    before: float
    highest: float


@dataclass(frozen=True, slots=True)
class Loss:
    """The finite, positive part of a loss series, index by index."""

    steps: tuple[int, ...]
    values: tuple[float, ...]
    lines: tuple[int, ...]
    file: str

    def __len__(self) -> int:
        return len(self.values)


def finite(series: Series) -> Loss:
    """Points that can be compared; a NaN that Hugging Face writes as 0.0 is left out, too."""
    kept = [
        (s, v, n)
        for s, v, n in zip(series.steps, series.values, series.lines, strict=True)
        if math.isfinite(v) and v > 0
    ]
    steps, values, lines = zip(*kept, strict=True) if kept else ((), (), ())
    return Loss(steps, values, lines, series.file)


def judgeable(series: Series) -> bool:
    """Whether the loss has a shape at all: enough points, and none below zero (rewards have)."""
    negative = sum(v < 0 for v in series.values if math.isfinite(v))
    return len(finite(series)) >= MIN_POINTS and negative == 0


def jumps(loss: Loss) -> list[Jump]:
    """Every jump of the curve, in order."""
    if len(loss) < 3:
        return []
    bases = baselines(loss.values, WINDOW)
    ratios = log_ratios(loss.values, bases)
    sigma = JUMP_SIGMAS * noise(loss.values)
    start = median(loss.values[:3]) if len(loss) >= MIN_POINTS else loss.values[0]
    start = min(start, loss.values[0])
    found: list[Jump] = []
    index = 1
    while index < len(loss):
        high = ratios[index] > max(math.log(JUMP_RATIO), sigma)
        above = loss.values[index] > ABOVE_START * start
        above = above and ratios[index] > max(math.log(LEAST_RATIO), sigma)
        if not (high or above):
            index += 1
            continue
        jump = _jump(loss, index, bases[index])
        found.append(jump)
        index = jump.back if jump.back is not None else len(loss)
    return found


def _jump(loss: Loss, first: int, before: float) -> Jump:
    back = next(
        (i for i in range(first + 1, len(loss)) if loss.values[i] <= before * BACK_RATIO), None
    )
    within = range(first, len(loss) if back is None else back)
    top = max(within, key=lambda i: loss.values[i])
    return Jump(first, top, back, before, loss.values[top])


def divergence(loss: Loss) -> int | None:
    """The index from which the loss rises for good, or None.

    The last tenth is compared with the best tenth before it; short curves are cut in fifths.
    """
    if len(loss) < MIN_POINTS:
        return None
    count = 10 if len(loss) >= 40 else 5
    parts = bins(loss.values, count)
    levels = [median(part) for part in parts]
    best = min(range(count - 1), key=lambda i: levels[i])
    error = noise(loss.values) / math.sqrt(len(parts[-1]))
    rise = math.log(levels[-1] / levels[best])
    if rise <= max(math.log(DIVERGES_RATIO), JUMP_SIGMAS * error):
        return None
    limit = levels[best] * LEAST_RATIO
    low = [i for i, v in enumerate(loss.values) if v <= limit]
    return min(low[-1] + 1, len(loss) - 1) if low else 0


def swings(loss: Loss) -> tuple[int, float] | None:
    """(index, noise) where the loss begins to swing far more than before; None if it does not."""
    if len(loss) < SWING_POINTS:
        return None
    parts = bins(loss.values, 6)
    noises = [noise(part) for part in parts]
    calm = median(noises[:2])
    worst = max(range(2, len(parts)), key=lambda i: noises[i])
    if noises[worst] < max(SWING_LEAST, SWING_GROWTH * calm):
        return None
    return sum(len(part) for part in parts[:worst]), noises[worst]


def level(values: Sequence[float]) -> float:
    return median(values)
