"""More loader workers than the task has CPUs."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import key_number
from .numbers import unstated

NAME = "more-workers-than-cpus"
NEEDS = ("num_workers",)


def check(config: RunConfig) -> LintResult:
    """torch warns of it itself (DataLoader, _check_worker_number_rationality)."""
    missing = unstated(config, "num_workers")
    cpus, workers = key_number(config, "cpus_per_task"), config.integer("num_workers")
    if missing or workers is None or not cpus:
        return NotChecked(missing or ("cpus-per-task",))
    if workers <= cpus:
        return Passes()
    return Fires("num_workers", {"workers": workers, "cpus": int(cpus)})
