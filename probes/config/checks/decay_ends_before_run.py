"""A decay that ends well before the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import constant_schedule, percent, unstated, whole

NAME = "decay-ends-before-run"
NEEDS = ("decay_steps", "total_steps")
# A last stretch at the minimum rate is common practice up to this share of the run.
EARLY = 0.95


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "decay_steps")
    if missing:
        return NotChecked(missing)
    decay, total = whole(config, *NEEDS)
    if decay >= EARLY * total or constant_schedule(config):
        return Passes()
    values = {"decay_steps": decay, "total_steps": total, "percent": percent(decay, total)}
    return Fires("decay_steps", values)
