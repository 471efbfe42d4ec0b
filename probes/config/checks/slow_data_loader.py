"""A data loader without worker processes."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated

NAME = "slow-data-loader"
NEEDS = ("num_workers",)


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "num_workers")
    if missing:
        return NotChecked(missing)
    workers = config.integer("num_workers")
    return Passes() if workers else Fires("num_workers", {"num_workers": workers})
