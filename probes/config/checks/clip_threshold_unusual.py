"""A gradient clipping threshold far from what anybody uses."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import adam_like
from .models import written
from .numbers import unstated

NAME = "clip-threshold-unusual"
NEEDS = ("gradient_clip",)
# Published: 0.1 to 2.5, mostly 1.0 (GPT-3, LLaMA, BLOOM, OPT); beyond ten it hardly ever acts.
LOW, HIGH = 0.01, 10.0
# A norm of 1e-4 spread over the 1e8 parameters of a small model is 1e-8 for each: Adam's epsilon, below
# which its updates vanish.
GRAVE = 1e-4


def check(config: RunConfig) -> LintResult:
    """Of the norm; not where gradients are clipped by value."""
    missing = unstated(config, "gradient_clip")
    clip = config.number("gradient_clip")
    if missing or clip is None:
        return NotChecked(missing or NEEDS)
    if clip <= 0 or LOW <= clip <= HIGH or written(config, "gradient_clip_algorithm"):
        return Passes()  # off: told by its own check
    return Fires("gradient_clip", {"clip": clip, "grave": clip <= GRAVE and adam_like(config)})
