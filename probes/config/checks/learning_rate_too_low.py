"""A peak learning rate far below everything published for the size and kind of training."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from ..bounds import SMALLEST_RATE
from .learning_rates import adam_like, far_below, placeholders, usual
from .numbers import unstated

NAME = "learning-rate-too-low"
NEEDS = ("learning_rate",)
_RANGE = Text("a published range for this optimizer", "该优化器公开发表的取值范围")

# A part of the lowest usual rate at which nothing is learned in any run that is published.
GRAVE = 50.0


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "learning_rate")
    if missing or not adam_like(config):
        return NotChecked(missing or (_RANGE,))
    rate, found = config.number("learning_rate") or 0.0, usual(config)
    if rate >= found.low / far_below(config) or rate < SMALLEST_RATE:
        return Passes()  # none at all: told by its own check
    told = placeholders(config, found)
    return Fires("learning_rate", told | {"grave": rate < found.low / GRAVE})
