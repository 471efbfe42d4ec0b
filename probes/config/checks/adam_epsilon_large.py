"""An epsilon that outweighs Adam's second moment."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import adam_like
from .numbers import unstated

NAME = "adam-epsilon-large"
NEEDS = ("adam_epsilon",)
# Gradients of large models have 1e-6 to 1e-3 an element; 1e-5 (Llama 2) is the largest published.
LARGE = 1e-4


def check(config: RunConfig) -> LintResult:
    """Adafactor's eps is another quantity: only Adam."""
    missing = unstated(config, "adam_epsilon")
    epsilon = config.number("adam_epsilon")
    if missing or epsilon is None or not adam_like(config):
        return NotChecked(missing or NEEDS)
    if epsilon < LARGE:
        return Passes()
    return Fires("adam_epsilon", {"epsilon": epsilon})
