"""An evaluation interval longer than the run."""

from __future__ import annotations

from medic.probe import LintResult
from medic.run_config import RunConfig

from .intervals import beyond_run

NAME = "no-evaluation-during-run"
NEEDS = ("eval_interval", "total_steps")


def check(config: RunConfig) -> LintResult:
    return beyond_run(config, "eval_interval", ("eval_strategy", "evaluation_strategy"))
