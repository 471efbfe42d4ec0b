"""A decay that ends well before the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .decay_horizon import horizon
from .numbers import constant_schedule, percent, whole

NAME = "decay-ends-before-run"
NEEDS = ("total_steps",)
# A last stretch at the minimum rate is common practice: GPT-3 decayed over 260 B of 300 B tokens
# (87 %), Megatron-LM's example of it over 430 k of 500 k steps (86 %).
EARLY = 0.85


def check(config: RunConfig) -> LintResult:
    found = horizon(config)
    if found is None:
        return NotChecked(("decay_steps",))
    decay, (total,) = found.end, whole(config, *NEEDS)
    if decay >= EARLY * total or constant_schedule(config):
        return Passes()
    values = {"decay_steps": decay, "total_steps": total, "percent": percent(decay, total)}
    return Fires(found.at, values)
