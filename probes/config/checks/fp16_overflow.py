"""Computing in fp16, whose largest number is 65,504."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated

NAME = "fp16-overflow"
NEEDS = ("precision",)


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "precision")
    if missing:
        return NotChecked(missing)
    return Fires("precision") if config.get("precision") == "fp16" else Passes()
