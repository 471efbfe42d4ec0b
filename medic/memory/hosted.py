"""What offload moves into host memory, in bytes of one rank.

Sources: DeepSpeed ``runtime/zero/stage_1_and_2.py`` and ``stage3.py`` (fp32 weights, their gradients and
the moments of a rank's partition, pinned; 16-bit weights too where they are offloaded), torch
``fsdp/_fully_shard`` (``CPUOffloadPolicy``: shards of weights, gradients and moments).
"""

from __future__ import annotations

from medic.memory.resident import local, local_parameters
from medic.memory.setup import Setup
from medic.memory.states import ADAPTER, WEIGHT
from medic.memory.views import read_setups
from medic.run_config import RunConfig

MASTER = 4  # bytes of an fp32 weight, and of its gradient


def host_bytes(config: RunConfig) -> int:
    """Of the likely set-up; 0 where nothing is offloaded or it cannot be told."""
    setups = read_setups(config).setups
    return _of(setups[1]) if setups and setups[1].offloaded else 0


def host_of_node(config: RunConfig) -> tuple[int, int]:
    """The ranks of a node, and the bytes of all of them; 1 where their number is unknown."""
    ranks = config.integer("gpus_per_node") or config.integer("world_size") or 1
    nodes = config.integer("nodes") or 1
    if config.integer("gpus_per_node") is None and nodes > 1:
        ranks = max(1, ranks // nodes)
    return ranks, ranks * host_bytes(config)


def _of(setup: Setup) -> int:
    if setup.lora:
        return _of_adapters(setup)
    values = local_parameters(setup) / max(1, setup.shards)
    held = setup.optimizer.held(setup.style)
    if setup.engine == "fsdp":
        return int(values * (2 * WEIGHT[setup.style] + held))
    narrow = 2 if setup.parameters_offloaded else 0
    return int(values * (2 * MASTER + held + narrow))


def _of_adapters(setup: Setup) -> int:
    if setup.shape is None:
        return 0
    trained = setup.shape.adapters(setup.lora, setup.adapted) / max(1, setup.shards)
    moments = setup.optimizer.moments * (setup.optimizer.moment_bytes or ADAPTER)
    here = local(setup)
    frozen = here.total * setup.frozen_bytes / max(1, setup.shards)
    return int(trained * (2 * ADAPTER + moments) + (frozen if setup.parameters_offloaded else 0))
