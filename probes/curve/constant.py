"""Losses that are the same number again and again: weights that nothing changes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of

from .plan import source_at
from .rewarded import is_policy, is_rewarded

CHECK = "loss-exactly-constant"
EVALUATIONS = 3
DIGITS = 4  # behind the first: fewer hide small changes
BATCHES = 50  # training losses: each is of another batch, and of another draw of dropout
BEGIN = 10  # steps: what starts behind them may be a plateau in few digits
_NEEDS = Text("three evaluations of the loss", "三次评估的 loss")


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    train = curve.series.get("loss")
    if train is not None and stands(train) and not _is_by_design(look, curve):
        value = {"loss": train.values[-1], "count": len(train.values), "step": train.steps[-1]}
        yield Finding(CHECK, "same-number", value=value, source=source_at(look, train, -1))
        return
    series = curve.series.get("eval_loss")
    if series is None or len(series.values) < EVALUATIONS or len(set(series.steps)) < EVALUATIONS:
        yield Skip(_NEEDS, check=CHECK)
        return
    value = {"loss": series.values[-1], "count": len(series.values), "step": series.steps[-1]}
    same = len(set(series.values)) == 1 and _digits(series.values[0]) > DIGITS
    source = source_at(look, series, -1)
    yield Finding(CHECK, "same-number" if same else "moves", value=value, source=source)


def stands(loss: Series) -> bool:
    """Whether all training losses are one number other than 0 (whose causes are others)."""
    first = loss.values[0] if loss.values else 0.0
    if len(loss.values) < BATCHES or not first or not math.isfinite(first):
        return False
    plain = loss.steps[0] <= BEGIN or _digits(first) > DIGITS
    return plain and len(set(loss.values)) == 1


def level(loss: Series) -> tuple[int, float] | None:
    """First step and value of a loss that is one number: whatever it is, nothing was learned."""
    return (loss.steps[0], loss.values[0]) if stands(loss) else None


def _is_by_design(look: Look, curve: Curve) -> bool:
    """Whether the loss is that of a policy, or of preferences: ln(2) until the weights move."""
    config = config_of(look)
    return is_policy(curve, config) or is_rewarded(curve, config)


def _digits(value: float) -> int:
    """Significant digits that were written."""
    if not math.isfinite(value):
        return 0
    return len(repr(value).partition("e")[0].lstrip("-0.").replace(".", ""))


PROBE = Probe(
    name="curve-constant",
    title=Text("a loss that never changes", "恒定不变的 loss"),
    tells=(CHECK,),
    needs=(Curve,),
    seconds=0.01,
    run=run,
)
