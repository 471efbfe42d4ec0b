"""How far the learning rates of a run can carry a weight at all.

Adam and its relatives move a weight by at most about the rate in each step, whatever the gradient:
the rates of all steps together bound the way (Kingma and Ba 2015, section 2.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig

from . import needs
from .numbers import clean
from .plan import plan_of, source_at
from .rewarded import is_rewarded
from .start import MIN_VOCABULARY, NEAR

CHECK = "rate-reach"
MIN_STEPS = 50
_ADAM = ("adam", "lamb", "lion", "adafactor")
_UNTRAINED = Text("that the run starts from untrained weights", "运行是从未训练的权重开始的")


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    series = curve.series.get("learning_rate")
    config = config_of(look)
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    if series is None or len(steps) < 2 or steps[-1] < MIN_STEPS:
        few = needs.RATE_LONGER.fill(n=MIN_STEPS)
        yield Skip(needs.RATE if series is None else few, check=CHECK)
        return
    if not _is_adam(config):
        yield Skip(needs.ADAM, check=CHECK)
        return
    if not is_untrained(curve, config) or plan_of(look, curve).resumed:
        yield Skip(_UNTRAINED, check=CHECK)  # small steps may be meant where a model is tuned
        return
    far = _sum_of_rates(steps, values)
    value = {"sum": far, "step": steps[-1], "start": steps[0]}
    outcome = "too-small" if far < look.threshold("too-small") else "enough"
    yield Finding(CHECK, outcome, value=value, source=source_at(look, series, -1))


def _sum_of_rates(steps: Sequence[int], values: Sequence[float]) -> float:
    """Of all steps to the last: those that are not logged lie on a line between their neighbours,
    those before the first have its rate."""
    between = (
        (b - a) * (u + v) / 2 + (v - u) / 2
        for (a, b), (u, v) in zip(pairwise(steps), pairwise(values), strict=True)
    )
    return math.fsum([values[0] * max(1, steps[0]), *between])


def _is_adam(config: RunConfig) -> bool:
    """Where no optimizer is named, language models are trained with AdamW."""
    name = config.get("optimizer")
    return name is None or any(word in str(name).lower() for word in _ADAM)


def is_untrained(curve: Curve, config: RunConfig) -> bool:
    """Whether the first loss is that of a guess."""
    loss, vocabulary = curve.series.get("loss"), config.integer("vocab_size")
    if loss is None or vocabulary is None or vocabulary < MIN_VOCABULARY:
        return False
    if is_rewarded(curve, config):
        return False
    return abs(loss.values[0] - math.log(vocabulary)) < NEAR


PROBE = Probe(
    name="curve-reach",
    title=Text("what the learning rate can move", "学习率能带来的权重变化"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig,),
    seconds=0.02,
    run=run,
)
