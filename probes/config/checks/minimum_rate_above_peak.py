"""A final learning rate above the peak."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated

NAME = "minimum-rate-above-peak"
NEEDS = ("learning_rate", "min_learning_rate")


def check(config: RunConfig) -> LintResult:
    """Megatron-LM and gpt-neox assert it (arguments.py); elsewhere the rate rises to it."""
    missing = unstated(config, *NEEDS)
    peak, end = config.number("learning_rate"), config.number("min_learning_rate")
    if missing or peak is None or end is None:
        return NotChecked(missing or NEEDS)
    if end <= peak or peak <= 0:
        return Passes()
    return Fires("min_learning_rate", {"peak": peak, "end": end})
