"""The global batch written where the batch of one device is read."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated, whole

NAME = "micro-batch-is-global"
NEEDS = ("micro_batch_size", "global_batch_size", "data_parallel_size")


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "micro_batch_size", "global_batch_size")
    if missing:
        return NotChecked(missing)
    micro, batch, dp = whole(config, *NEEDS)
    accumulation = config.integer("gradient_accumulation_steps") or 1
    if micro != batch or dp * accumulation == 1:
        return Passes()
    values = {"micro": micro, "global_batch": batch, "dp": dp, "accumulation": accumulation}
    return Fires("micro_batch_size", values)
