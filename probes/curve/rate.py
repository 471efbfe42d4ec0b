"""The shape of the logged learning rate against the plan."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from . import again, mirrored, needs, schedule_pace, zero_rate
from .held import held, is_stair
from .jumps import jumps, troubling
from .numbers import clean
from .plan import Plan, plan_of, source_at
from .resumed_rate import rate_lost

MIN_POINTS = 5
# A cosine is within 0.2% of its span above the floor only in its last 3%.
FLOOR_SPAN = 0.002
SAME = 0.005  # of a rate: not told apart by the digits that are shown
LOW_FLOOR = 0.5  # a "floor" above half the peak is no decay
NEAR_PEAK = 0.95
HIGH = 0.05  # of the peak above the minimum: less is no schedule that was cut off
STEPS_AT_FLOOR = 5
PAST_PEAK = 1.05  # times the peak: no rounding
WHOLE = 0.01  # of a step: so near to it is a value of the warmup's own


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    series = curve.series.get("learning_rate")
    if series is None or len(series.steps) < MIN_POINTS:
        yield Skip(needs.RATE, check="learning-rate-shape")
        return
    plan = plan_of(look, curve)
    found = [*again.judge(look, curve, series)] or [*mirrored.judge(look, curve, series, plan)]
    yield from found or judge(look, curve, series, plan)


def judge(look: Look, curve: Curve, series: Series, plan: Plan) -> Iterator[Finding | Skip]:
    """The shape, and the symptom that goes with an abnormal one."""
    steps, values, _ = clean(series)
    if len(values) < MIN_POINTS or max(values) < 0:
        yield Skip(needs.RATE_ABOVE_ZERO.fill(n=MIN_POINTS), check="learning-rate-shape")
        return
    if max(values) == 0:
        yield from zero_rate.judge(look, curve, series)
        return
    shape, at, value = _shape(look, steps, values, plan)
    if shape == "still-high-at-end" and any(rate_lost(curve, old) for old in curve.replaced):
        return  # the restart of the schedule explains it
    if shape == "at-peak-from-start" and not loss_broke(look, curve):
        shape = "as-usual"  # a constant rate, or none of a warmup, is by design where all is well
    index = series.steps.index(steps[at])
    source = source_at(look, series, index)
    yield Finding("learning-rate-shape", shape, value=value, source=source)
    if shape in ("never-rises", "stuck-at-start"):
        yield Finding("learning-rate-never-rises", value=value, source=source)
    elif shape == "reaches-floor-early":
        yield Finding("learning-rate-collapsed", value=value, source=source)
        rates = schedule_pace.Rates(steps, values, at, source)
        yield from schedule_pace.judge(look, rates, plan)
    if (odd := _not_as_set(shape, steps, values, plan)) is not None:
        step, rate, given = odd
        told = {"step": step, "logged": f"{rate:.4g}", "configured": f"{given:.4g}"}
        yield Finding(schedule_pace.NOT_AS_SET, value=told, source=source)


def _not_as_set(
    shape: str, steps: list[int], values: list[float], plan: Plan
) -> tuple[int, float, float] | None:
    """(step, the rate there, the one that the settings give) where the two cannot be one: a rate
    that is never moved, and one that climbs past its peak to a final rate above it."""
    if not plan.peak:
        return None
    if shape == "stuck-at-start":
        return steps[-1], values[-1], plan.peak
    return (steps[-1], values[-1], plan.peak) if shape == "climbs-to-floor" else None


def _shape(
    look: Look, steps: list[int], values: list[float], plan: Plan
) -> tuple[str, int, dict[str, Any]]:
    peak = max(values)
    top = values.index(peak)
    last = len(values) - 1
    facts: dict[str, Any] = {"peak": peak, "step": steps[last], "max": peak, "total": plan.length}
    if (first := _stuck(steps, values, plan)) is not None:
        told = {"configured": plan.peak or 0.0, "warmup": plan.warmup, "first": first}
        return "stuck-at-start", last, facts | told
    if _never_rises(look, values, top, plan):
        return "never-rises", last, facts | {"configured": plan.peak or 0.0}
    floor_at = _lowest(values, _floor(values, top))
    early = floor_at is not None and _early(look, steps, floor_at, plan)
    early = early and not is_stair(values, floor_at or 0)
    if floor_at is not None and early and not held(steps, values, (top, floor_at), plan):
        facts |= {
            "step": steps[floor_at],
            "floor": values[floor_at],
            "share": f"{steps[floor_at] / plan.length:.0%}",
        }
        return "reaches-floor-early", floor_at, facts
    if _high_at_end(look, steps, values, plan):
        return "still-high-at-end", last, facts | {"last": values[last]}
    if _climbs(values, plan):
        told = {"configured": plan.peak or 0.0, "floor": plan.floor or 0.0, "last": values[-1]}
        return "climbs-to-floor", last, facts | told
    if _from_start(steps, values, peak, plan):
        return "at-peak-from-start", 0, facts | {"step": steps[0]}
    return "as-usual", top, facts


def _stuck(steps: list[int], values: list[float], plan: Plan) -> int | None:
    """The step of the warmup (0, 1 or 2) whose rate is kept long after the warmup's end: that of a
    scheduler which is never stepped again."""
    if not plan.peak or not plan.warmup or plan.warmup < MIN_POINTS or plan.resumed:
        return None
    if len(set(values)) > 1 or steps[-1] < 2 * plan.warmup:
        return None
    at = values[0] * plan.warmup / plan.peak
    return round(at) if abs(at - round(at)) < WHOLE and round(at) <= 2 else None


def _never_rises(look: Look, values: list[float], top: int, plan: Plan) -> bool:
    """A complete run whose rate was still rising at its last step, or stayed far below the peak
    that was configured."""
    share = look.threshold("still-rising-share")
    if plan.complete and plan.peak and max(values) == min(values) < share * plan.peak:
        return True  # the scheduler was never stepped after its first value
    if not plan.complete or top < 0.95 * (len(values) - 1):
        return False
    rising = values[-1] > 2 * values[0] and all(b >= a * 0.999 for a, b in pairwise(values))
    if plan.peak is not None and plan.peak > 0:
        return rising and values[-1] < share * plan.peak
    return rising and len(values) >= 2 * MIN_POINTS


def _floor(values: list[float], top: int) -> int | None:
    """Index from which the rate stays at the lowest value after its peak."""
    peak, tail = values[top], values[top:]
    low = min(tail)
    if low > LOW_FLOOR * peak:
        return None
    limit = low + FLOOR_SPAN * (peak - low)
    first = len(values)
    for i in range(len(values) - 1, top, -1):
        if values[i] > limit:
            break
        first = i
    return first if len(values) - first >= STEPS_AT_FLOOR else None


def _lowest(values: list[float], floor_at: int | None) -> int | None:
    """Index of the first row that has the lowest rate itself, where enough rows stay at it: those
    before it are on their way there."""
    if floor_at is None:
        return None
    low = min(values[floor_at:])
    rest = range(floor_at, len(values))
    at = next(n for n in rest if math.isclose(values[n], low, rel_tol=SAME))
    return at if len(values) - at >= STEPS_AT_FLOOR else floor_at


def _early(look: Look, steps: list[int], floor_at: int, plan: Plan) -> bool:
    return steps[floor_at] < look.threshold("floor-early-share") * plan.length


def _high_at_end(look: Look, steps: list[int], values: list[float], plan: Plan) -> bool:
    """A complete decaying schedule that ends far above its configured minimum."""
    if plan.steps is None or not plan.complete or plan.floor is None or plan.floor <= 0:
        return False
    # A schedule that was cut off was still falling.
    decays = values[-1] < 0.9 * max(values) and values[-1] < values[-2]
    # The last logged step may stand some steps before the end of a steep decay.
    slope = (values[-1] - values[-2]) / max(1, steps[-1] - steps[-2])
    end = values[-1] + slope * max(0, plan.steps - steps[-1])
    floor, peak = plan.floor, max(values)
    if plan.peak and peak > PAST_PEAK * plan.peak:
        floor *= peak / plan.peak  # the whole schedule is scaled: its end, too
    limit = max(look.threshold("high-at-end-ratio") * floor, floor + HIGH * peak)
    return decays and end > limit


def _climbs(values: list[float], plan: Plan) -> bool:
    """Whether the rate goes on rising past its peak, to a final rate that is set above it."""
    if not plan.peak or not plan.floor or plan.floor <= PAST_PEAK * plan.peak or plan.resumed:
        return False
    rising = all(b >= a for a, b in pairwise(values))
    return rising and PAST_PEAK * plan.peak < values[-1] <= PAST_PEAK * plan.floor


def _from_start(steps: list[int], values: list[float], peak: float, plan: Plan) -> bool:
    if values[0] < NEAR_PEAK * peak or plan.resumed:
        return False
    return steps[0] <= 2 or plan.warmup == 0


def loss_broke(look: Look, curve: Curve) -> bool:
    """Whether the loss became NaN or jumped: then it matters at which rate training began."""
    loss = curve.series.get("loss")
    if loss is None:
        return False
    steps, values, _ = clean(loss)
    return len(values) < len(loss.values) or bool(troubling(jumps(look, steps, values)))


PROBE = Probe(
    name="curve-rate",
    title=Text("the learning rate curve", "学习率曲线"),
    tells=(
        "learning-rate-shape",
        "learning-rate-never-rises",
        "learning-rate-collapsed",
        schedule_pace.CHECK,
        schedule_pace.PACE,
        schedule_pace.NOT_AS_SET,
    ),
    needs=(Curve,),
    wants=(RunConfig, LogHits),
    reliability="exact",
    seconds=0.05,
    run=run,
)
