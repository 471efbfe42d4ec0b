"""A validation loss that is not a number, beside a training loss that is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .nan import first_nan
from .plan import source_at

NAME = "eval-loss-nan"
MOST = 0.5  # of the logged training losses
_NEEDS = Text("a validation loss beside the training loss", "训练 loss 与验证 loss")


def run(look: Look) -> Iterator[Finding | Skip]:
    series = look.fact(Curve).series
    train, held = series.get("loss"), series.get("eval_loss")
    if train is None or held is None:
        yield Skip(_NEEDS, check=NAME)
        return
    at = next((n for n, v in enumerate(held.values) if math.isnan(v)), None)
    # Where training breaks as well, its own NaN is the symptom, or its zeros: a hidden NaN, or no token.
    zeros = sum(value == 0 for value in train.values)
    if at is None or first_nan(series) is not None or zeros > MOST * len(train.values):
        yield Finding(NAME, "absent")
        return
    value = {"step": held.steps[at]}
    yield Finding(NAME, value=value, source=source_at(look, held, at))


PROBE = Probe(
    name="curve-eval-nan",
    title=Text("a validation loss that is NaN", "为 NaN 的验证 loss"),
    tells=(NAME,),
    needs=(Curve,),
    reliability="exact",
    seconds=0.01,
    run=run,
)
