"""Parallel sizes against the processes of the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import PARALLEL, counted, indivisible, key_number, label, size, unequal
from .numbers import independent, product

NAME = "parallel-sizes-exceed-world"
NEEDS = ("world_size",)
# Frameworks that split the data parallel size: (replicas, shards of each), -1 shards: what is left.
_SPLIT = {
    "torchtitan": ("data_parallel_replicate_degree", "data_parallel_shard_degree"),
    "torchtune": ("data_parallel_replicate_dim", "data_parallel_shard_dim"),
}
_EXPERT_GRID = ("megatron", "nemo", "megatron-swift")
_WORLD = ("nodes", "gpus_per_node")


def check(config: RunConfig) -> LintResult:
    """Megatron-LM arguments.py and parallel_state.py, torchtitan parallel_dims.py, accelerate
    parallelism_config.py, nanotron parallel/context.py: the product has to divide, and with the
    data parallel size to be, the world size.
    """
    if not config.stated("world_size") and independent(config, *_WORLD):
        return NotChecked(("world_size",))
    world = counted(config, "world_size")
    if world is None:
        return NotChecked(("world_size",))
    sizes = [size(config, name) for name in PARALLEL]
    shown = " x ".join(label(config, n) for n in PARALLEL if size(config, n) > 1)
    if world % product(sizes):
        return Fires(
            _culprit(config, world), indivisible("world size", world, shown, product(sizes))
        )
    return (
        _experts(config, world)
        or _replicas(config, world, product(sizes))
        or _shards(config, world, product(sizes))
        or Passes()
    )


def _culprit(config: RunConfig, world: int) -> str:
    """The size without which the others divide the world; else the first above one."""
    above = [name for name in PARALLEL if size(config, name) > 1]
    rest = {n: product([size(config, other) for other in above if other != n]) for n in above}
    return next((n for n in above if world % rest[n] == 0), above[0])


def _experts(config: RunConfig, world: int) -> Fires | None:
    """Expert layers have their own grid: expert tensor x expert x pipeline (Megatron Core)."""
    ranks = counted(config, "expert_parallel_size")
    if config.framework not in _EXPERT_GRID or ranks is None or ranks == 1:
        return None
    tensor = key_number(config, "expert_tensor_parallel_size")
    if tensor is None and config.framework == "megatron-swift":
        tensor = 1  # releases differ in the default: whatever it is, this much has to divide
    grid = (
        int(tensor or size(config, "tensor_parallel_size"))
        * ranks
        * size(config, "pipeline_parallel_size")
    )
    words = "expert tensor x expert x pipeline size"
    if not world % grid:
        return None
    return Fires("expert_parallel_size", indivisible("world size", world, words, grid))


def _replicas(config: RunConfig, world: int, model: int) -> Fires | None:
    """A stated number of replicas; experts may or may not have ranks of their own."""
    replicas = counted(config, "data_parallel_size")
    if replicas is None or not config.stated("data_parallel_size"):
        return None
    experts = size(config, "expert_parallel_size")
    if world in (replicas * model, replicas * model * experts):
        return None
    values = indivisible("world size", world, "data x model parallel sizes", replicas * model)
    return Fires("data_parallel_size", values)


def _left_to_shards(config: RunConfig, name: str, world: int, model: int) -> Fires | None:
    """Shards of -1, the default, are what is left of the world beside the replicas."""
    replicas = int(key_number(config, name) or 1)
    if replicas < 1 or not world % (replicas * model):
        return None
    words = "replicas x model parallel sizes"
    return Fires(name, indivisible("world size", world, words, replicas * model))


def _shards(config: RunConfig, world: int, model: int) -> Fires | None:
    """Replicas x shards x model parallel sizes have to be the world size where all are written;
    the experts of torchtitan borrow ranks of the shards, context and tensor parallel groups.
    """
    names = next((_SPLIT[f] for f in (config.framework, *config.frameworks) if f in _SPLIT), None)
    shards = key_number(config, names[1]) if names else None
    if names is None:
        return None
    if shards is None or shards < 1:
        return _left_to_shards(config, names[0], world, model)
    found = int(key_number(config, names[0]) or 1) * int(shards) * model
    if found != world:
        words = "replicas x shards x model parallel sizes"
        return Fires(names[1], unequal("world size", world, words, found))
    experts = size(config, "expert_parallel_size")
    group = int(shards) * model // size(config, "pipeline_parallel_size")
    if config.framework == "torchtitan" and group % experts:
        values = indivisible("shards x context x tensor size", group, "expert size", experts)
        return Fires("expert_parallel_size", values)
    return None
