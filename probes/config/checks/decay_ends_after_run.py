"""A decay that would end only after the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .decay_horizon import horizon
from .numbers import constant_schedule, percent, whole

NAME = "decay-ends-after-run"
NEEDS = ("total_steps",)
# A cosine horizon within 10% of the run costs nothing that can be measured (Chinchilla, 2022).
LATE = 1.10
# A run of so few steps tries the machinery: its schedule is that of the run proper.
TRIAL = 100


def check(config: RunConfig) -> LintResult:
    found = horizon(config)
    if found is None:
        return NotChecked(("decay_steps",))
    decay, (total,) = found.end, whole(config, *NEEDS)
    if decay <= LATE * total or total <= TRIAL or constant_schedule(config):
        return Passes()
    values = {"decay_steps": decay, "total_steps": total, "percent": percent(decay, total)}
    return Fires(found.at, values)
