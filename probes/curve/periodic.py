"""A loss that goes up and down by a fixed number of steps, and has not fallen since the start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from medic.facts import Curve, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig

from .numbers import clean, median
from .plan import plan_of, source_at
from .rewarded import is_rewarded

CHECK, SYMPTOM = "loss-period", "loss-oscillates"
START = 0.1  # of the planned steps: a window from later on may be of a run that fell before

# Autocorrelation of white noise over n points stays within 4 / sqrt(n): below 0.4 from a hundred on.
LEAST, ALIKE = 100, 0.7
NEARLY = 0.95  # of the best likeness
LONG = 4000  # points that are enough to tell a period
LONGEST, SEEN = 200, 6  # points of a period, and how often it comes
SWING, NATS = 1.5, 0.3  # the upper half over the lower one
FELL = 0.95  # of the first third: what falls is learned, though its batches take turns


class Swing(NamedTuple):
    """``period`` in points; the medians of the upper and the lower half of the losses."""

    period: int
    low: float
    high: float


def swing_of(values: Sequence[float]) -> Swing | None:
    """Of losses from the start of a run on; None where they fall, or have no period."""
    if len(values) < LEAST or min(values) <= 0:
        return None
    centre = median(values)
    low, high = (median([v for v in values if (v > centre) is up]) for up in (False, True))
    if not high > max(SWING * low, low + NATS):
        return None
    values = values[:LONG]
    mean = sum(values) / len(values)
    apart = [v - mean for v in values]
    most = min(LONGEST, len(values) // SEEN)
    likeness = [_likeness(apart, lag) for lag in range(most + 1)]
    # Behind the first lag at which high meets low: near ones are alike in any slow curve.
    turned = next((lag for lag, r in enumerate(likeness) if r < -ALIKE / 2), None)
    best = max(likeness[turned:]) if turned is not None else 0.0
    if turned is None or best < ALIKE:
        return None
    # Of a period and its multiples the first.
    at = next(n for n in range(turned, most + 1) if likeness[n] >= NEARLY * best)
    while at < most and likeness[at + 1] > likeness[at]:
        at += 1
    return None if _falls(values, at) else Swing(at, low, high)


def _falls(values: Sequence[float], period: int) -> bool:
    """By the means of as many whole periods as a third of the curve holds."""
    size = period * max(1, len(values) // (3 * period))
    return sum(values[-size:]) < FELL * sum(values[:size])


def _likeness(apart: Sequence[float], lag: int) -> float:
    """Autocorrelation at a lag."""
    square = sum(v * v for v in apart)
    return sum(a * b for a, b in zip(apart, apart[lag:], strict=False)) / square if square else 0.0


def run(look: Look) -> Iterator[Finding]:
    curve = look.fact(Curve)
    loss = curve.series.get("loss")
    steps, values, _ = clean(loss) if loss is not None else ([], [], None)
    plan = plan_of(look, curve)
    if loss is None or not steps or plan.resumed or steps[0] > START * plan.length:
        return
    found = None if is_rewarded(curve, config_of(look)) else swing_of(values)
    if found is not None:
        last = source_at(look, loss, loss.steps.index(steps[-1]))
        value = {"low": found.low, "high": found.high, "step": steps[-1]}
        yield Finding(SYMPTOM, value=value, source=last)
        yield Finding(CHECK, "regular", {"period": found.period}, last)


PROBE = Probe(
    name="curve-periodic",
    title=Text("a period of the loss", "loss 的周期"),
    tells=(CHECK, SYMPTOM),
    needs=(Curve,),
    wants=(RunConfig, LogHits),
    reliability="heuristic",
    run=run,
    seconds=0.05,
    limit_seconds=5.0,
)
