"""A peak learning rate far above everything published for the size and kind of training."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import (
    adam_like,
    far_above,
    grave,
    kind_of,
    named_size,
    parameters,
    placeholders,
    prompts,
    survivable,
    usual,
)
from .numbers import unstated

NAME = "learning-rate-too-high"
NEEDS = ("learning_rate",)
_RANGE = Text("a published range for this optimizer", "该优化器公开发表的取值范围")

_SIZE = Text("the size of the model", "模型的规模")
_TOLD = Text("a rate that a run can survive", "训练可能存活的学习率")


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "learning_rate")
    if missing or not adam_like(config) or prompts(config):
        return NotChecked(missing or (_RANGE,))
    rate, found = config.number("learning_rate") or 0.0, usual(config)
    limit = survivable(config)
    if limit is not None and rate >= limit:
        return NotChecked((_TOLD,))
    told = placeholders(config, found) | {"grave": grave(config, rate, found.high)}
    above = far_above(config)
    if rate >= above * found.high:
        return Fires("learning_rate", told)
    for other, origin in config.values["learning_rate"].also:
        number = isinstance(other, (int, float)) and not isinstance(other, bool)
        if number and float(other or 0) >= above * found.high:  # lr beside learning_rate
            return Fires(origin.key, told | {"learning_rate": other})
    known = parameters(config) is not None or named_size(config) is not None
    if rate > found.low and not known and kind_of(config) != "lora":
        return NotChecked((_SIZE,))  # what is usual for one size is far too high for another
    return Passes()
