"""Fewer micro batches a step than pipeline stages."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, key_number, reads
from .numbers import percent

NAME = "pipeline-mostly-idle"
# They feed the micro batches of one accumulation through the pipeline.
_ACCUMULATE = frozenset(("megatron", "nemo", "gpt-neox", "nanotron"))
NEEDS = ("pipeline_parallel_size",)
_TITAN = frozenset(("torchtitan",))
_TITAN_MICRO = "parallelism.pipeline_parallel_microbatch_size"


def check(config: RunConfig) -> LintResult:
    """Idle share of p stages and m micro batches: (p - 1) / (m + p - 1) (Narayanan et al., 2021)."""
    stages = counted(config, "pipeline_parallel_size")
    micro_batches = _micro_batches(config)
    if stages is None or micro_batches is None:
        return NotChecked((*NEEDS, "gradient_accumulation_steps"))
    if micro_batches >= stages:
        return Passes()
    idle = percent(stages - 1, micro_batches + stages - 1)
    at = "pipeline_parallel_size"
    return Fires(at, {"stages": stages, "micro_batches": micro_batches, "idle": idle})


def _micro_batches(config: RunConfig) -> int | None:
    """Micro batches of one pass through the pipeline. torchtitan cuts the local batch anew: into
    parts of ``pipeline_parallel_microbatch_size`` sequences (torchtitan 0.2: one sequence).
    """
    if reads(config, _TITAN):
        local = config.setting("training.local_batch_size", "torchtitan")
        batch = counted(config, "micro_batch_size")
        part = key_number(config, _TITAN_MICRO) if config.setting(_TITAN_MICRO) else 1
        return int(batch // part) if local is not None and batch and part and part > 0 else None
    return counted(config, "gradient_accumulation_steps") if reads(config, _ACCUMULATE) else None
