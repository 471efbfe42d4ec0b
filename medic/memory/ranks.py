"""How the ranks of a run share one model, or each have their own."""

from __future__ import annotations

from collections.abc import Mapping

from medic.records import replace
from medic.run_config import Origin, RunConfig, Value

SHARES = ("tensor", "pipeline", "context")  # ranks that share one replica


def spread_model(config: RunConfig) -> bool:
    """Whether several ranks share one model."""
    sizes = ("tensor", "pipeline", "context", "expert")
    return any((config.integer(f"{name}_parallel_size") or 1) > 1 for name in sizes)


def replicas(config: RunConfig) -> int | None:
    """Data parallel replicas, stated or left by the sizes that share a model."""
    stated, world = config.integer("data_parallel_size"), config.integer("world_size")
    if stated is not None or world is None:
        return stated
    for name in ("tensor", "pipeline", "context"):
        world //= config.integer(f"{name}_parallel_size") or 1
    return world


def ranks_of(config: RunConfig) -> int:
    """All ranks of the run; 1 where nothing tells of others."""
    world = config.integer("world_size")
    if world is not None:
        return max(1, world)
    if config.integer("data_parallel_size"):
        return (config.integer("data_parallel_size") or 1) * _shared(config)
    return max(1, (config.integer("nodes") or 1) * (config.integer("gpus_per_node") or 1))


def derived(config: RunConfig, name: str) -> bool:
    """Whether a field follows from others."""
    origin = config.origin(name)
    return origin is not None and origin.source == "derived" and config.integer(name) is not None


def spread_anew(config: RunConfig, told: Mapping[str, object]) -> RunConfig:
    """The config with what follows from the sizes that were ``told``: all ranks, replicas, micro batches."""
    if not told.keys() & {"world_size", "nodes", "gpus_per_node", "data_parallel_size", *_NAMES}:
        return config
    replicas_rule = "data_parallel_size" in told or config.stated("data_parallel_size")
    if replicas_rule and "world_size" not in told:
        config = _derive(
            config, "world_size", (config.integer("data_parallel_size") or 1) * _shared(config)
        )
    elif told.keys() & {"nodes", "gpus_per_node"} and config.integer("gpus_per_node"):
        count = (config.integer("nodes") or 1) * (config.integer("gpus_per_node") or 1)
        config = _derive(config, "world_size", count)
    world = config.integer("world_size")
    if world and "data_parallel_size" not in told:
        config = _derive(config, "data_parallel_size", max(1, world // _shared(config)))
    micro, ranks, whole = (
        config.integer(name) or 0
        for name in ("micro_batch_size", "data_parallel_size", "global_batch_size")
    )
    if micro * ranks and whole and config.stated("global_batch_size"):
        return _derive(config, "gradient_accumulation_steps", max(1, whole // (micro * ranks)))
    return config


_NAMES = tuple(f"{name}_parallel_size" for name in SHARES)


def _shared(config: RunConfig) -> int:
    count = 1
    for name in _NAMES:
        count *= config.integer(name) or 1
    return count


def _derive(config: RunConfig, name: str, count: int) -> RunConfig:
    """With a field that follows from others; what is stated stays."""
    if config.values.get(name) is None or not derived(config, name):
        return config
    value = Value(count, Origin("derived"))
    return replace(config, values={**config.values, name: value})
