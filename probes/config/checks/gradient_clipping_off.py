"""Gradient clipping that is switched off."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated

NAME = "gradient-clipping-off"
NEEDS = ("gradient_clip",)


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "gradient_clip")
    if missing:
        return NotChecked(missing)
    if "lomo" in str(config.get("optimizer") or "").lower():
        return Passes()  # it steps within the backward pass, where no norm of all gradients exists
    return Passes() if config.number("gradient_clip") else Fires("gradient_clip")
