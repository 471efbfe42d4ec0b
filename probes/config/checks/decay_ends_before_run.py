"""A decay that ends well before the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .decay_horizon import horizon
from .numbers import constant_schedule, percent, whole

NAME = "decay-ends-before-run"
NEEDS = ("total_steps",)
# A last stretch at the minimum rate is common practice up to this share of the run.
EARLY = 0.95


def check(config: RunConfig) -> LintResult:
    found = horizon(config)
    if found is None:
        return NotChecked(("decay_steps",))
    decay, (total,) = found.end, whole(config, *NEEDS)
    if decay >= EARLY * total or constant_schedule(config):
        return Passes()
    values = {"decay_steps": decay, "total_steps": total, "percent": percent(decay, total)}
    return Fires(found.at, values)
