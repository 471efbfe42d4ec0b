"""A stated world size against nodes x GPUs per node."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import Change, RunConfig

from .numbers import independent, unstated, whole

NAME = "world-size-not-gpus"
NEEDS = ("world_size", "nodes", "gpus_per_node")


def check(config: RunConfig) -> LintResult:
    missing = (*unstated(config, "world_size"), *independent(config, "nodes", "gpus_per_node"))
    if missing:
        return NotChecked(missing)
    world, nodes, gpus = whole(config, *NEEDS)
    if world == nodes * gpus:
        return Passes()
    values = {"world_size": world, "nodes": nodes, "gpus": gpus, "expected": nodes * gpus}
    why = Text("nodes x GPUs per node", "节点数 x 每节点 GPU 数")
    return Fires("world_size", values, (Change("world_size", world, nodes * gpus, why),))
