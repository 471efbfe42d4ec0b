"""Fewer micro batches a step than pipeline stages."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, reads
from .numbers import percent

NAME = "pipeline-mostly-idle"
# They feed the micro batches of one accumulation through the pipeline; torchtitan cuts each anew.
_ACCUMULATE = frozenset(("megatron", "nemo", "gpt-neox", "nanotron"))
NEEDS = ("pipeline_parallel_size", "gradient_accumulation_steps")


def check(config: RunConfig) -> LintResult:
    """Idle share of p stages and m micro batches: (p - 1) / (m + p - 1) (Narayanan et al., 2021)."""
    stages = counted(config, "pipeline_parallel_size")
    micro_batches = counted(config, "gradient_accumulation_steps")
    if stages is None or micro_batches is None or not reads(config, _ACCUMULATE):
        return NotChecked(NEEDS)
    if micro_batches >= stages:
        return Passes()
    idle = percent(stages - 1, micro_batches + stages - 1)
    at = "pipeline_parallel_size"
    return Fires(at, {"stages": stages, "micro_batches": micro_batches, "idle": idle})
