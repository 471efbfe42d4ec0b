"""The loader's share of a step, of rows that tell averages since the begin of their epoch, or that
stand at the begin of each: there the loader's workers start, which one step in many waits for."""

from __future__ import annotations

import math

from medic.facts import Curve
from medic.probe import Look, config_of

STEPS = 10  # that the averages are of
FEW, NEARLY = 2, 0.7  # waits of a loader without workers, each nearly the whole of its step
SECONDS = 0.1  # below it a step is so short that chance gives such a share


def inline(look: Look) -> bool:
    """Whether the training loads its batches itself: every step waits as the first one does."""
    return config_of(look).integer("num_workers") == 0


def beginnings(curve: Curve) -> frozenset[int]:
    """Steps that are the first of an epoch, where the rows state their place in it."""
    places = curve.series.get("epoch_at")
    if places is None:
        return frozenset()
    return frozenset(s for s, v in zip(places.steps, places.values, strict=True) if v == 0)


def averaged(curve: Curve, *, loads_inline: bool) -> float | None:
    """The share of all the time: each epoch's last average times the steps that it is of.

    None where rows tell no averages, or so few steps that they show how workers start.
    """
    means, waits, places = (
        curve.series.get(name) for name in ("mean_step_time", "mean_data_time", "epoch_at")
    )
    if means is None or waits is None or places is None:
        return None
    place = dict(zip(places.steps, places.values, strict=True))
    wait = dict(zip(waits.steps, waits.values, strict=True))
    rows = [
        (place[step] + 1, wait[step], mean)
        for step, mean in zip(means.steps, means.values, strict=True)
        if step in place and step in wait and math.isfinite(mean + wait[step])
    ]
    last = [
        row
        for row, after in zip(rows, [*rows[1:], (0.0, 0.0, 0.0)], strict=True)
        if after[0] <= row[0]
    ]
    whole = sum(count * mean for count, _, mean in last)
    if whole <= 0 or not (_many(last) or (loads_inline and _plain(last))):
        return None
    return sum(count * part for count, part, _ in last) / whole


def _many(last: list[tuple[float, float, float]]) -> bool:
    """Enough steps, most of which are not the first of their epoch."""
    steps = sum(count for count, _, _ in last)
    return steps >= STEPS and steps >= FEW * len(last)


def _plain(last: list[tuple[float, float, float]]) -> bool:
    return len(last) >= FEW and all(
        mean >= SECONDS and NEARLY * mean <= part for _, part, mean in last
    )
