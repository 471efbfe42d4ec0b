"""Pinned memory without worker processes."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import unstated

NAME = "pinned-memory-without-workers"
NEEDS = ("pin_memory", "num_workers")


def check(config: RunConfig) -> LintResult:
    """The copy to pinned memory overlaps the step only in a thread of its own, which torch starts
    for loaders with workers (torch/utils/data/dataloader.py).
    """
    missing = unstated(config, *NEEDS)
    if missing:
        return NotChecked(missing)
    if config.get("pin_memory") is not True or config.integer("num_workers") != 0:
        return Passes()
    return Fires("num_workers")
