"""Warmup that does not end before the run does."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import constant_schedule, whole

NAME = "warmup-longer-than-run"
NEEDS = ("warmup_steps", "total_steps")


def check(config: RunConfig) -> LintResult:
    """Fires for warmup_steps >= total_steps, as litgpt and DeepSpeed warn themselves."""
    if not (config.stated("warmup_steps") or config.stated("warmup_ratio")):
        return NotChecked(("warmup_steps",))
    warmup, total = whole(config, *NEEDS)
    if warmup < total or not total or constant_schedule(config):
        return Passes()
    at = "warmup_steps" if config.stated("warmup_steps") else "warmup_ratio"
    return Fires(at, {"warmup": warmup, "total_steps": total})
