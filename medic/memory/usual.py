"""The config that an estimate is made for: what its framework does, and what hardly a run changes."""

from __future__ import annotations

from medic.facts import MemoryEstimate
from medic.memory import details
from medic.memory.estimate import estimate
from medic.memory.habits import settled, told, with_values
from medic.memory.reading import DERIVED
from medic.records import replace
from medic.run_config import RunConfig, Scalar

USUAL: dict[str, Scalar] = {
    "compile": False,
    "fused_loss": False,
    "gradient_accumulation_steps": 1,
}
RANKS = ("world_size", "data_parallel_size", "gpus_per_node", "nodes", "zero_stage", "fsdp")


def usual_estimate(
    config: RunConfig, capacity: int | None, inverse: tuple[str, ...] = ()
) -> tuple[RunConfig, MemoryEstimate]:
    """The config ``with_usual`` and its estimate, with what was taken among the assumed and without
    what is asked for among the unknown."""
    config, taken = with_usual(config, inverse)
    found = estimate(config, capacity)
    unknown = tuple(name for name in found.unknown if name not in inverse)
    assumed = dict(sorted({**found.assumed, **taken}.items()))
    return config, replace(found, assumed=assumed, unknown=unknown)


def with_usual(
    config: RunConfig, inverse: tuple[str, ...] = ()
) -> tuple[RunConfig, dict[str, str]]:
    """The config with what its framework does, and with the usual value of what hardly a run
    changes without saying so; and the list of what was taken. What many runs change, such as
    recomputation, stays open. ``inverse``: fields that are asked for."""
    config, habits = settled(config)
    usual = dict(USUAL)
    if config.framework in DERIVED:
        usual.pop("gradient_accumulation_steps")
    if not any(config.get(name) is not None for name in RANKS):
        usual["world_size"] = 1
    if details.more_models(
        config
    ):  # TRL's trainers of preferences never hold whole logits since 1.14
        del usual["fused_loss"]
    if inverse == ("sequence_length",):
        usual["micro_batch_size"] = 1
    no_precision = config.get("precision") is None and config.get("parameter_dtype") is None
    if no_precision and config.nobodys:
        usual["precision"] = "bf16"
        usual["lora_rank"] = 0
    missing = {name: value for name, value in usual.items() if config.get(name) is None}
    if "gradient_accumulation_steps" in missing:
        one = missing.get("world_size")
        missing["gradient_accumulation_steps"] = _micro_batches(config, 1 if one else 0)
    return with_values(config, missing, ""), habits | told(missing)


def _micro_batches(config: RunConfig, alone: int) -> int:
    """Of a step, as a stated global batch has them among known ranks (``alone``: 1 where one is taken);
    else one."""
    whole, micro = config.integer("global_batch_size"), config.integer("micro_batch_size")
    world = config.integer("world_size") or alone
    for name in ("tensor", "pipeline", "context"):
        world //= config.integer(f"{name}_parallel_size") or 1
    ranks = config.integer("data_parallel_size") or world
    return max(1, (whole or 0) // (micro * ranks)) if micro and ranks else 1
