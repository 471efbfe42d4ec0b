"""The gradient norm of the step whose loss is NaN, and whether it can be believed.

Cross entropy over labels that are all masked is 0/0, but its backward pass gives zero. A norm that
is repeated from the step before, or stays finite while the loss stays NaN, is an old or clipped
value, or that of a step that was skipped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from medic.facts import Series
from medic.i18n import Text
from medic.probe import Finding, Skip

from . import needs
from .numbers import median, value_at

NAME = "nan-gradient"
STAYS = 3  # NaN losses in a row, and no other after them
ZERO = 1e-6  # of the usual norm: below it nothing but rounding is left


def judge(
    loss: Series, index: int, norm: Series | None, value: dict[str, Any], source: Any
) -> Iterator[Finding | Skip]:
    """The norm at the first NaN, ``index`` into the loss."""
    step = loss.steps[index]
    at = value_at(norm, step)
    if norm is None or at is None:
        yield Skip(needs.NORM_THERE, check=NAME)
        return
    facts = value | {"grad_norm": at}
    if not math.isfinite(at):
        yield Finding(NAME, "gradient-nan", value=facts, source=source)
        return
    before = [
        (s, v)
        for s, v in zip(norm.steps, norm.values, strict=True)
        if s < step and math.isfinite(v)
    ]
    if before and _infinite_alone(loss, index, norm):
        yield Finding(
            NAME, "loss-infinite-alone", value=facts | {"last": loss.steps[-1]}, source=source
        )
        return
    if before and _stays(loss, index):
        yield Finding(NAME, "stays-nan", value=facts | {"last": loss.steps[-1]}, source=source)
        return
    after = _after(loss, index)
    if at < 0 or after is None or not before or before[-1][1] == at:
        yield Skip(needs.OWN_NORM, check=NAME)
        return
    facts |= {"after": after, "before": before[-1][1], "before_step": before[-1][0]}
    usual = median([v for _, v in before])
    outcome = "gradient-zero" if at <= ZERO * usual else "gradient-finite"
    yield Finding(NAME, outcome, value=facts, source=source)


def _stays(loss: Series, index: int) -> bool:
    """Losses that were finite are NaN from here to the end: no single batch does that."""
    rest = loss.values[index:]
    return index > 0 and len(rest) >= STAYS and not any(math.isfinite(v) for v in rest)


def _infinite_alone(loss: Series, index: int, norm: Series) -> bool:
    """The loss is infinite, never NaN, and each of these steps has a finite norm of its own: the
    weights that make such gradients are sound, and one term of the loss is not."""
    rest = loss.values[index:]
    steps = set(loss.steps[index:])
    own = [v for s, v in zip(norm.steps, norm.values, strict=True) if s in steps]
    sound = (
        len(own) >= STAYS and all(math.isfinite(v) for v in own) and len(set(own)) > len(own) / 2
    )
    return sound and math.isinf(rest[0]) and not any(math.isnan(v) for v in rest)


def _after(loss: Series, index: int) -> Text | None:
    """How the run went on: not at all, or with a finite loss; None if the loss stayed NaN."""
    broken = len(list(takewhile(lambda v: not math.isfinite(v), loss.values[index:])))
    following = index + broken
    if following >= len(loss.values):
        return Text("the run ended there", "训练到此结束") if broken == 1 else None
    step = loss.steps[following]
    if broken > 1:
        return None
    return Text(f"the loss is finite again at step {step}", f"第 {step} 步 loss 恢复有限")
