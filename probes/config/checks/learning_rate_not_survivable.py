"""A peak learning rate that no run with an optimizer of the Adam kind survives."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import spread, survivable
from .numbers import unstated

NAME = "learning-rate-not-survivable"
NEEDS = ("learning_rate",)
_OPTIMIZER = Text("an optimizer of the Adam kind", "Adam 类优化器")


def check(config: RunConfig) -> LintResult:
    """arXiv 1412.6980, section 2.1: a step moves each weight by at most about the rate."""
    missing = unstated(config, "learning_rate")
    limit = survivable(config)
    if missing or limit is None:
        return NotChecked(missing or (_OPTIMIZER,))
    rate = config.number("learning_rate") or 0.0
    if rate < limit:
        return Passes()
    return Fires("learning_rate", {"learning_rate": rate, "limit": limit, "spread": spread(config)})
