"""A global batch that whole micro batches cannot make up on any number of replicas."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .numbers import unstated

NAME = "global-batch-not-multiple-of-micro"
NEEDS = ("global_batch_size", "micro_batch_size")


def check(config: RunConfig) -> LintResult:
    """As ``batch-not-divisible``, which tells it where the replicas are known."""
    missing = unstated(config, *NEEDS)
    batch, micro = counted(config, "global_batch_size"), counted(config, "micro_batch_size")
    if missing or batch is None or micro is None:
        return NotChecked(missing or NEEDS)
    ragged = "olmo" in config.frameworks  # its last micro batch may be smaller
    if batch % micro == 0 or ragged or config.get("data_parallel_size") is not None:
        return Passes()
    return Fires("global_batch_size", {"batch": batch, "micro": micro})
