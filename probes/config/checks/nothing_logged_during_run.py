"""A log interval longer than the run."""

from __future__ import annotations

from medic.probe import LintResult
from medic.run_config import RunConfig

from .intervals import beyond_run

NAME = "nothing-logged-during-run"
NEEDS = ("log_interval", "total_steps")


def check(config: RunConfig) -> LintResult:
    return beyond_run(config, "log_interval", ("logging_strategy",))
