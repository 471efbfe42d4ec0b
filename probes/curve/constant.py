"""Evaluations that give the same number again and again: weights that nothing changes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .plan import source_at

CHECK = "loss-exactly-constant"
EVALUATIONS = 3
DIGITS = 4  # behind the first: fewer hide small changes
_NEEDS = Text("three evaluations of the loss", "三次评估的 loss")


def run(look: Look) -> Iterator[Finding | Skip]:
    series = look.fact(Curve).series.get("eval_loss")
    if series is None or len(series.values) < EVALUATIONS or len(set(series.steps)) < EVALUATIONS:
        yield Skip(_NEEDS, check=CHECK)
        return
    value = {"loss": series.values[-1], "count": len(series.values), "step": series.steps[-1]}
    same = len(set(series.values)) == 1 and _digits(series.values[0]) > DIGITS
    source = source_at(look, series, -1)
    yield Finding(CHECK, "same-number" if same else "moves", value=value, source=source)


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
