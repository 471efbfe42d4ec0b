"""An epsilon that is zero, or becomes zero in fp16 states."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import adam_like
from .numbers import unstated

NAME = "adam-epsilon-vanishes"
NEEDS = ("adam_epsilon",)
# Half of the smallest number of fp16, 6e-8, rounds to zero.
FP16_ZERO = 3e-8


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "adam_epsilon")
    epsilon = config.number("adam_epsilon")
    if missing or epsilon is None or not adam_like(config):
        return NotChecked(missing or NEEDS)
    half = config.get("parameter_dtype") == "fp16" and config.stated("parameter_dtype")
    if epsilon < 0 or epsilon >= (FP16_ZERO if half else 1e-20):
        return Passes()
    return Fires("adam_epsilon", {"epsilon": epsilon})
