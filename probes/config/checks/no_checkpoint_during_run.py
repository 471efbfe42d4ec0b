"""A save interval longer than the run."""

from __future__ import annotations

from medic.probe import LintResult, Passes
from medic.run_config import RunConfig

from .intervals import beyond_run

NAME = "no-checkpoint-during-run"
NEEDS = ("save_interval", "total_steps")


def check(config: RunConfig) -> LintResult:
    """Frameworks save at the end at most; nanotron not even then without save_final_state, which
    is told by its own check.
    """
    final = config.setting("save_final_state")
    if final is not None and final.value is False:
        return Passes()
    return beyond_run(config, "save_interval", ("save_strategy",))
