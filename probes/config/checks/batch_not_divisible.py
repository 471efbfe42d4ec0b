"""A global batch that micro batches on all replicas cannot make up."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated, whole

NAME = "batch-not-divisible"
NEEDS = ("global_batch_size", "micro_batch_size", "data_parallel_size")


def check(config: RunConfig) -> LintResult:
    """Megatron asserts it (num_microbatches_calculator.py); litgpt silently rounds down. nanoGPT
    asserts that the accumulation of all processes is a multiple of their number (train.py).
    """
    at = "global_batch_size"
    missing = unstated(config, at, "micro_batch_size")
    if missing == (at,) and "nanogpt" in config.frameworks:
        at, missing = "gradient_accumulation_steps", ()
    if missing:
        return NotChecked(missing)
    batch, micro, dp = whole(config, *NEEDS)
    if "olmo" in config.frameworks:
        micro = 1  # the last micro batch may be smaller (OLMo train.py split_batch)
    if not micro * dp or micro == batch or batch % (micro * dp) == 0:
        return Passes()  # micro == batch: told by its own check
    return Fires(at, {"global_batch": batch, "micro": micro, "dp": dp})
