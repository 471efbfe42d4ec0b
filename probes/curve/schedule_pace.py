"""How fast a schedule ran through: in a fraction of the run that the settings explain, or with its
warmup step by step and its decay cut short."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Source
from medic.i18n import Text
from medic.probe import Finding, Look
from medic.records import dataclass
from medic.run_config import RunConfig

from .plan import Plan

CHECK, PACE = "scheduler-calls", "schedule-pace"
NOT_AS_SET = "learning-rate-not-as-set"
NEARLY = 0.93  # of a cosine: from there on it stands at its floor
MIN_WARMUP = 5  # steps: of a shorter one the pace cannot be read
MIN_MEETING = 3  # points that lie on the faster curve
CLOSE = 0.01  # of the peak, within which a point lies on a curve
ONE = 1.01  # steps: a rate is logged before or after its step
EITHER_WAY = (-1, 0, 1)
FACTORS = (
    ("gradient_accumulation_steps", Text("gradient accumulation steps", "梯度累积步数")),
    ("world_size", Text("processes", "进程数")),
)


@dataclass(frozen=True)
class Rates:
    """The logged rates; ``at``: index of the first step at the floor, ``source`` its line."""

    steps: Sequence[int]
    values: Sequence[float]
    at: int
    source: Source


def judge(look: Look, rates: Rates, plan: Plan) -> Iterator[Finding]:
    """The schedule ended between the first step at the floor and the step logged before; the length
    of the run over a number of the settings must lie there."""
    if rates.at == 0:
        return
    if (at := _in_warmup(rates, plan)) is not None and not _in_stairs(rates):
        value: dict[str, Any] = {"step": rates.steps[at], "end": rates.steps[rates.at]}
        value |= {"warmup": plan.warmup, "total": plan.length}
        yield Finding(PACE, "decay-alone-short", value, rates.source)
    if plan.steps is None or not look.has(RunConfig):
        return
    config, steps, at = look.fact(RunConfig), rates.steps, rates.at
    for field, name in FACTORS:
        factor = config.integer(field)
        if factor is None or factor < 2:
            continue
        end = plan.steps / factor
        if NEARLY * end <= steps[at] and steps[at - 1] <= end:
            told: dict[str, Any] = {"step": steps[at], "total": plan.steps}
            value = told | {"factor": factor, "what": name}
            yield Finding(CHECK, "more-than-once", value=value, source=rates.source)
            yield from _faster(rates, plan, factor, name)
            return


def _in_warmup(rates: Rates, plan: Plan) -> int | None:
    """Index of a step of the warmup that has the rate which one step of the schedule a step gives,
    where two would have given another; None where the warmup is not known or not so."""
    if not plan.peak or not plan.warmup or plan.warmup < MIN_WARMUP or plan.resumed:
        return None
    inside = [i for i, s in enumerate(rates.steps) if 3 <= s < plan.warmup]
    shares = [rates.values[i] / plan.peak * plan.warmup for i in inside]
    even = all(abs(n - rates.steps[i]) <= ONE for i, n in zip(inside, shares, strict=True))
    return inside[-1] if inside and even else None


def _in_stairs(rates: Rates) -> bool:
    """Whether the rate stays for a while between its peak and its floor: a decay in stages, or one
    that begins late, is by design."""
    top = list(rates.values).index(max(rates.values))
    return any(a == b for a, b in pairwise(rates.values[top : rates.at]))


def _faster(rates: Rates, plan: Plan, factor: int, name: Text) -> Iterator[Finding]:
    """The points of the warmup and the decay lie on the planned curve, so many times faster."""
    count = rates.at
    if count < MIN_MEETING or _met(rates, plan, factor) < count:
        return
    if _met(rates, plan, 1) > count / 2:
        return
    value = {"factor": factor, "what": name, "count": count, "total": plan.steps}
    yield Finding(PACE, "faster-throughout", value, rates.source)
    step = rates.steps[count - 1]
    given = next(iter(_planned(step, plan)))
    told = {"step": step, "logged": f"{rates.values[count - 1]:.4g}", "configured": f"{given:.4g}"}
    yield Finding(NOT_AS_SET, value=told, source=rates.source)


def _met(rates: Rates, plan: Plan, factor: int) -> int:
    """How many points before the floor lie on the planned curve, so many times faster; the rate is
    logged before or after all the scheduler's steps of its step."""
    points = [(rates.steps[i] * factor, rates.values[i]) for i in range(rates.at)]
    near = CLOSE * (plan.peak or 0.0)
    return max(
        sum(
            any(abs(v - r) <= near for n in EITHER_WAY for r in _planned(s + first + n, plan))
            for s, v in points
        )
        for first in (0, 1 - factor)
    )


def _planned(step: float, plan: Plan) -> Iterator[float]:
    """The rate at a step of a linear warmup with a cosine, then with a linear decay; nothing where
    the plan does not tell."""
    peak, warmup, total = plan.peak, plan.warmup or 0, plan.steps
    if not peak or not total or total <= warmup:
        return
    if step < warmup:
        yield peak * step / warmup
        return
    done = min(1.0, (step - warmup) / (total - warmup))
    span = peak - (plan.floor or 0.0)
    yield peak - span * (1 - math.cos(math.pi * done)) / 2
    yield peak - span * done
