"""Checkpoints every few steps of a long run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .numbers import unstated

NAME = "checkpoints-too-frequent"
NEEDS = ("save_interval", "total_steps")
# A checkpoint every few steps is for tests; a run that is worth saving takes some minutes between.
FEW_STEPS, MANY = 10, 100


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "save_interval")
    every, total = counted(config, "save_interval"), counted(config, "total_steps")
    if missing or every is None or total is None:
        return NotChecked(missing or NEEDS)
    if every > FEW_STEPS or total // every < MANY:
        return Passes()
    return Fires("save_interval", {"every": every, "count": total // every})
