"""A global batch that micro batches on all replicas cannot make up."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import BY_HAND, Fires, LintResult, NotChecked, Passes
from medic.records import replace
from medic.run_config import RunConfig

from .numbers import product, unstated, whole

NAME = "batch-not-divisible"
NEEDS = ("global_batch_size", "micro_batch_size")
_REPLICAS = "data_parallel_size"
_MULTIPLE = Text(
    "a multiple of the {dp} processes: train.py divides it by their number",
    "改成进程数 {dp} 的倍数：train.py 会用它除以进程数",
)
_DEGREES = (
    "parallelism.data_parallel_replicate_degree",
    "parallelism.data_parallel_shard_degree",
)


def check(config: RunConfig) -> LintResult:
    """Megatron asserts it (num_microbatches_calculator.py); litgpt silently rounds down. nanoGPT
    asserts that the accumulation of all processes is a multiple of their number (train.py).
    """
    if "torchtitan" in config.frameworks:
        return _of_torchtitan(config)
    at = "global_batch_size"
    missing = unstated(config, at, "micro_batch_size")
    if missing == (at,) and "nanogpt" in config.frameworks:
        at, missing = "gradient_accumulation_steps", ()
    missing = missing or config.missing(_REPLICAS)
    if missing:
        return NotChecked(missing)
    batch, micro, dp = whole(config, *NEEDS, _REPLICAS)
    if "olmo" in config.frameworks:
        micro = 1  # the last micro batch may be smaller (OLMo train.py split_batch)
    found = _judged(at, batch, micro, dp)
    if isinstance(found, Fires) and at != "global_batch_size":
        return replace(found, values={**found.values, BY_HAND: _MULTIPLE.fill(dp=dp)})
    return found


def _judged(at: str, batch: int, micro: int, dp: int) -> LintResult:
    if not micro * dp or micro == batch or batch % (micro * dp) == 0:
        return Passes()  # micro == batch: told by its own check
    return Fires(at, {"global_batch": batch, "micro": micro, "dp": dp})


def _of_torchtitan(config: RunConfig) -> LintResult:
    """torchtitan asserts it for its own degrees (train.py: global_batch_size % (local_batch_size *
    dp_degree)). A shard degree of -1 is what remains of the GPUs: then only multiples are known.
    """
    batch, micro = whole(config, *NEEDS)
    dp = config.integer(_REPLICAS) or product([_degree(config, name) for name in _DEGREES])
    if not config.stated("global_batch_size") or batch <= 0:
        return Passes()  # -1: one pass over the GPUs
    return _judged("global_batch_size", batch, micro, dp)


def _degree(config: RunConfig, name: str) -> int:
    """A degree as written; 1 for none, and for what is no number above 0."""
    setting = config.setting(name)
    value = setting.value if setting is not None else 1
    return max(1, value) if isinstance(value, int) and not isinstance(value, bool) else 1
