"""A learning rate that is set far above all rates before, in the middle of a run that goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.probe import SAYS, Finding, Look, Probe, config_of
from medic.run_config import RunConfig

from .again import CYCLES
from .numbers import clean
from .plan import plan_of, source_at
from .rate_leaps import UP
from .resume_points import starts

NAME = "learning-rate-not-as-set"
BEFORE, AFTER, CALM = 20, 5, 10  # rows
SAME = 1.001  # of a rate: within the rounding of a log
AS_SET = 1.1  # of the peak that is set
_RAISED = Text(
    "the learning rate goes from {before} to {after} at step {step}, above all before (at most {top}), "
    "and no restart is logged there",
    "学习率在第 {step} 步从 {before} 升到 {after}，高于此前所有值（最高 {top}），而那里没有重启记录",
)


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), config_of(look)
    rate = curve.series.get("learning_rate")
    stated = config.get("lr_schedule")
    cycles = isinstance(stated, str) and CYCLES.search(stated)
    if rate is None or cycles or curve.resumed_at or plan_of(look, curve).resumed:
        return
    steps, values, _ = clean(rate)
    at = raised_at(values)
    if at is None or starts(look) or _grows(curve.series.get("batch_size"), steps[at - 1 : at + 1]):
        return
    peak = config.number("learning_rate")
    if peak and values[at] <= AS_SET * peak:
        return  # as set: a stage that was planned
    value = {"step": steps[at], "before": values[at - 1], "after": values[at]}
    value["top"] = max(values[:at])
    last, here = (source_at(look, rate, rate.steps.index(steps[n])) for n in (at - 1, at))
    yield Finding(NAME, value={**value, SAYS: _RAISED}, source=here, more=(last,))


def raised_at(values: Sequence[float]) -> int | None:
    """Index of the first row whose rate, and those behind it, are far above all before, where the
    rate did not rise any more: no warmup and no range test goes up so."""
    top = 0.0
    for n, value in enumerate(values):
        if n >= BEFORE and value > UP * top > 0:
            calm = all(b <= SAME * a for a, b in pairwise(values[n - CALM : n]))
            rest = values[n : n + AFTER]
            if calm and len(rest) == AFTER and min(rest) > UP * top:
                return n
        top = max(top, value)
    return None


def _grows(batch: Series | None, steps: Sequence[int]) -> bool:
    """Whether the batch is larger behind the row, too: its rate is then scaled with it."""
    known = dict(zip(batch.steps, batch.values, strict=True)) if batch is not None else {}
    before, after = (known.get(step) for step in steps)
    return before is not None and after is not None and after > before


PROBE = Probe(
    name="curve-raised-rate",
    title=Text("a learning rate that is raised", "中途升高的学习率"),
    tells=(NAME,),
    needs=(Curve,),
    wants=(RunConfig, LogHits),
    seconds=0.02,
    run=run,
)
