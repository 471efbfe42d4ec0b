"""A gradient clipping threshold far from what anybody uses."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import written
from .numbers import unstated

NAME = "clip-threshold-unusual"
NEEDS = ("gradient_clip",)
# Published: 0.1 to 2.5, mostly 1.0 (GPT-3, LLaMA, BLOOM, OPT); beyond ten it hardly ever acts.
LOW, HIGH = 0.01, 10.0


def check(config: RunConfig) -> LintResult:
    """Of the norm; not where gradients are clipped by value."""
    missing = unstated(config, "gradient_clip")
    clip = config.number("gradient_clip")
    if missing or clip is None:
        return NotChecked(missing or NEEDS)
    if clip <= 0 or LOW <= clip <= HIGH or written(config, "gradient_clip_algorithm"):
        return Passes()  # off: told by its own check
    return Fires("gradient_clip", {"clip": clip})
