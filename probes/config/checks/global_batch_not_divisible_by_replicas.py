"""A global batch that does not spread evenly over the replicas."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .numbers import unstated

NAME = "global-batch-not-divisible-by-replicas"
NEEDS = ("global_batch_size", "data_parallel_size")


def check(config: RunConfig) -> LintResult:
    """Tells it only where the micro batch is unknown; else ``batch-not-divisible`` does."""
    missing = unstated(config, "global_batch_size")
    batch, replicas = counted(config, "global_batch_size"), counted(config, "data_parallel_size")
    if missing or batch is None or replicas is None:
        return NotChecked(missing or NEEDS)
    if batch % replicas == 0 or config.get("micro_batch_size") is not None:
        return Passes()
    return Fires("global_batch_size", {"batch": batch, "replicas": replicas})
