"""A stated global batch against micro batch x accumulation x replicas."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import independent, product, unstated, whole

NAME = "train-batch-mismatch"
_FACTORS = ("micro_batch_size", "gradient_accumulation_steps", "data_parallel_size")
NEEDS = ("global_batch_size", *_FACTORS)
# GPT-NeoX hands its batch to DeepSpeed.
_ENFORCE = frozenset(("deepspeed", "gpt-neox"))


def check(config: RunConfig) -> LintResult:
    """The product that DeepSpeed asserts at start (deepspeed/runtime/config.py).

    Elsewhere accumulation is what the global batch leaves over, so all of it has to be written
    down; only where DeepSpeed asserts the product does a trainer's default count as well.
    """
    origin = config.origin("global_batch_size")
    enforced = origin is not None and origin.framework in _ENFORCE
    known = independent if enforced else unstated
    missing = (
        *unstated(config, "global_batch_size"),
        *known(config, "micro_batch_size", "gradient_accumulation_steps"),
    )
    if missing:
        return NotChecked(missing)
    (configured,) = whole(config, "global_batch_size")
    micro, accumulation, dp = whole(config, *_FACTORS)
    expected = product([micro, accumulation, dp])
    if configured in (expected, micro):  # equal to the micro batch: told by its own check
        return Passes()
    values = {
        "configured": configured,
        "expected": expected,
        "micro": micro,
        "accumulation": accumulation,
        "dp": dp,
    }
    return Fires("global_batch_size", values)
