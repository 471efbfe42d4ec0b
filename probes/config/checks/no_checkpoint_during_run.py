"""A save interval longer than the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, Passes
from medic.records import replace
from medic.run_config import RunConfig

from .intervals import beyond_run
from .models import counted

NAME = "no-checkpoint-during-run"
NEEDS = ("save_interval", "total_steps")
# Steps that nobody wants to lose: at half a second each, the better part of an hour.
LONG = 5000


def check(config: RunConfig) -> LintResult:
    """Frameworks save at the end at most; nanotron not even then without save_final_state, which
    is told by its own check.
    """
    final = config.setting("save_final_state")
    if final is not None and final.value is False:
        return Passes()
    found = beyond_run(config, "save_interval", ("save_strategy",))
    if not isinstance(found, Fires):
        return found
    long = (counted(config, "total_steps") or 0) >= LONG
    return replace(found, values={**found.values, "grave": long})
