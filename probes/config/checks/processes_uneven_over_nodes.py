"""Processes that do not spread evenly over the nodes."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .numbers import unstated

NAME = "processes-uneven-over-nodes"
NEEDS = ("world_size", "nodes")


def check(config: RunConfig) -> LintResult:
    """accelerate launch starts num_processes // num_machines on each (utils/launch.py)."""
    missing = unstated(config, *NEEDS)
    world, nodes = counted(config, "world_size"), counted(config, "nodes")
    if missing or world is None or nodes is None:
        return NotChecked(missing or NEEDS)
    if world % nodes == 0 or config.stated("gpus_per_node"):
        return Passes()  # with GPUs per node: told by its own check
    return Fires("world_size", {"world": world, "nodes": nodes})
