"""A decay that would end only after the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import constant_schedule, percent, unstated, whole

NAME = "decay-ends-after-run"
NEEDS = ("decay_steps", "total_steps")
# A cosine horizon within 10% of the run costs nothing that can be measured (Chinchilla, 2022).
LATE = 1.10


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "decay_steps")
    if missing:
        return NotChecked(missing)
    decay, total = whole(config, *NEEDS)
    if decay <= LATE * total or not total or constant_schedule(config):
        return Passes()
    values = {"decay_steps": decay, "total_steps": total, "percent": percent(decay, total)}
    return Fires("decay_steps", values)
