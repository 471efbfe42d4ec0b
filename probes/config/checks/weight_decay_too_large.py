"""A weight decay that rivals the gradient."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import adam_like
from .numbers import unstated

NAME = "weight-decay-too-large"
NEEDS = ("weight_decay",)
_RANGE = Text("a published range for this optimizer", "该优化器公开发表的取值范围")
# AdamW recipes: 0.01 to 0.1, up to 0.3. Optimizers such as Lion take ten times as much.
LARGE = 0.5


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "weight_decay")
    decay = config.number("weight_decay")
    if missing or decay is None or not adam_like(config):
        return NotChecked(missing or (_RANGE,))
    if decay < LARGE:
        return Passes()
    return Fires("weight_decay", {"decay": decay})
