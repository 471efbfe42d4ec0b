"""How the ranks of a run share one model, or each have their own."""

from __future__ import annotations

from medic.run_config import RunConfig


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
