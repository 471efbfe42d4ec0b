"""The learning rate at which a run broke, by its own curve."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Decimal
from statistics import median
from typing import NamedTuple

from medic.facts import Curve, Series
from medic.run_config import RunConfig

WIDTH = 5  # logged losses whose median is a level
RISEN = 1.3  # times the lowest level: the loss did not come back


class Broke(NamedTuple):
    """The step of the lowest loss, and the rate there."""

    step: int
    rate: float


def broke(curve: Curve | None, config: RunConfig) -> Broke | None:
    """None where the loss ends as low as it was, or nothing tells the rate at its lowest step: a
    logged one, or a warmup of known length that was not over."""
    loss = curve.series.get("loss") if curve is not None else None
    step = _lowest(loss) if loss is not None else None
    if curve is None or step is None:
        return None
    logged = curve.series.get("learning_rate")
    rate = _at(logged, step) if logged is not None else _warming_up(config, step)
    return Broke(step, rate) if rate is not None and rate > 0 else None


def half_of(rate: float) -> float:
    """Half of it in two digits, rounded down."""
    half = Decimal(repr(rate)) / 2
    return float(half.quantize(Decimal(1).scaleb(half.adjusted() - 1), rounding=ROUND_DOWN))


def _lowest(loss: Series) -> int | None:
    known = [(s, v) for s, v in zip(loss.steps, loss.values, strict=True) if math.isfinite(v)]
    if len(known) < 2 * WIDTH:
        return None
    values = [v for _, v in known]
    levels = [median(values[n : n + WIDTH]) for n in range(len(values) - WIDTH + 1)]
    lowest = min(range(len(levels)), key=levels.__getitem__)
    lost = not math.isfinite(loss.values[-1]) or levels[-1] > RISEN * levels[lowest]
    return known[lowest + WIDTH // 2][0] if lost else None


def _at(series: Series, step: int) -> float | None:
    """The last logged value up to the step."""
    told = [v for s, v in zip(series.steps, series.values, strict=True) if s <= step]
    return told[-1] if told and math.isfinite(told[-1]) else None


def _warming_up(config: RunConfig, step: int) -> float | None:
    peak, warmup = config.number("learning_rate"), config.number("warmup_steps")
    return peak * step / warmup if peak and warmup and step < warmup else None
