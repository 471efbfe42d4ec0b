"""From which step on a run goes another way than the one that worked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from medic.facts import Curve, Difference, Series, Source

# Losses that lie this far apart, over so many logged steps in a row, are other losses. The noise of two
# runs of one configuration stays within a few per cent; six times the median of its size are four times
# the spread of a normal one (0.6745), which it exceeds at one step of 16,000.
APART, IN_A_ROW, NOISE = 0.10, 3, 6.0


def curves(now: Curve | None, good: Curve | None) -> Iterator[Difference]:
    """The first step from which a series of both runs goes another way."""
    for name in ("loss", "grad_norm", "learning_rate"):
        ours = now.series.get(name) if now else None
        theirs = good.series.get(name) if good else None
        if ours is not None and theirs is not None:
            step = first_apart(ours, theirs)
            if step is not None:
                yield _of_step(name, step, ours, theirs)


def first_apart(ours: Series, theirs: Series) -> int | None:
    """The first common step from which three logged values in a row lie apart: by a tenth, and by
    six times the usual distance of the steps before. A value that is not finite lies apart."""
    one, other = (
        dict(zip(ours.steps, ours.values, strict=True)),
        dict(zip(theirs.steps, theirs.values, strict=True)),
    )
    steps = sorted(set(one) & set(other))
    usual: list[float] = []
    row: list[int] = []
    for step in steps:
        distance = _distance(one[step], other[step])
        noise = median(usual) if len(usual) >= IN_A_ROW else 0.0
        if distance > max(APART, NOISE * noise):
            row.append(step)
            if len(row) == IN_A_ROW or math.isinf(distance):
                return row[0] if len(row) == IN_A_ROW else step
        else:
            usual.append(distance)
            row = []
    return None


def _distance(one: float, other: float) -> float:
    """Relative to the larger; infinite where exactly one of them is not finite."""
    if not (math.isfinite(one) and math.isfinite(other)):
        return 0.0 if math.isfinite(one) == math.isfinite(other) else math.inf
    largest = max(abs(one), abs(other))
    return abs(one - other) / largest if largest else 0.0


def _of_step(name: str, step: int, ours: Series, theirs: Series) -> Difference:
    def told(series: Series) -> tuple[str, Source]:
        at = series.steps.index(step)
        return f"{series.values[at]:.6g}", Source(file=series.file, line=series.lines[at])

    (now, here), (good, there) = told(ours), told(theirs)
    return Difference("curve", f"{name} @ step {step}", now, good, here, there)
