"""Adam's default beta2 in a pretraining."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import adam_like, kind_of, parameters
from .numbers import unstated

NAME = "second-moment-too-slow"
NEEDS = ("adam_beta2",)
SLOW = 0.999
# Below this size 0.999 is common and harmless.
LARGE_MODEL = 1e9


def check(config: RunConfig) -> LintResult:
    """Published pretraining takes 0.95 (GPT-3, LLaMA, BLOOM, DeepSeek)."""
    missing = unstated(config, "adam_beta2")
    beta2 = config.number("adam_beta2")
    if missing or beta2 is None or not adam_like(config):
        return NotChecked(missing or NEEDS)
    large = kind_of(config) == "pretraining" and (parameters(config) or 0) >= LARGE_MODEL
    if not SLOW <= beta2 < 1 or not large:
        return Passes()
    return Fires("adam_beta2", {"beta2": beta2})
