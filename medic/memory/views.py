"""Reads a run config into its three set-ups."""

from __future__ import annotations

from dataclasses import replace

from medic.memory.measured import LIKE_LLAMA
from medic.memory.setup import (
    Engine,
    Reader,
    Setup,
    Views,
    frozen_of,
    optimizer_for,
    shape_of,
    shards_of,
    style_of,
)
from medic.memory.shape import Shape
from medic.memory.states import QUANTIZED
from medic.records import dataclass
from medic.run_config import RunConfig

UNKNOWN_RANKS = 1024  # that states may be sharded over, for a lower bound


@dataclass(frozen=True)
class Read:
    """The set-ups (empty if not even the states can be told), and what was open."""

    setups: tuple[Setup, ...]
    assumed: tuple[str, ...]
    unknown: tuple[str, ...]
    family: str = ""


def read_setups(config: RunConfig) -> Read:
    """The leanest, the likely and the heaviest set-up that the config allows."""
    read = Reader(config)
    setups = _setups(read)
    assumed = tuple(f"{name} = {value}" for name, value in sorted(read.assumed.items()))
    return Read(setups, assumed, tuple(sorted(read.unknown)), read.family)


def _setups(read: Reader) -> tuple[Setup, ...]:
    shapes = shape_of(read)
    if shapes is None and read.config.integer("parameters") is None:
        read.unknown["parameters"] = None
        return ()
    if (read.config.integer("num_experts") or 1) > 1:
        read.unknown["num_experts"] = None  # the formulas are those of dense models
        spread = (read.config.integer("expert_parallel_size") or 1) > 1
        if spread or read.config.integer("parameters") is None:
            return ()
        shapes = None  # the states are known all the same
    common = _common(read)
    if common is None:
        return ()
    return _spread(read, common, shapes)


def _common(read: Reader) -> Setup | None:
    """What is the same in all three; None if the sharding of the states cannot be told."""
    config = read.config
    tensor, pipeline, context = (
        config.integer(f"{name}_parallel_size") or 1 for name in ("tensor", "pipeline", "context")
    )
    zero = 3 if config.get("fsdp") is True else config.integer("zero_stage") or 0
    shards = shards_of(read, tensor, pipeline, context) if zero else 1
    if shards is None:
        return None
    return Setup(
        shape=None,
        parameters=0,
        micro=read.count("micro_batch_size"),
        sequence=read.count("sequence_length"),
        zero=zero,
        shards=shards,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        lora=config.integer("lora_rank") or 0,
        offloaded=read.word("optimizer_offload") in ("cpu", "nvme"),
        quantised=read.word("quantization") in QUANTIZED,
        fp8=read.word("precision") == "fp8",
        experts=config.integer("num_experts") or 1,
        known=read.eager and read.family in ("", *LIKE_LLAMA) and config.get("compile") is not True,
    )


def _spread(read: Reader, common: Setup, shapes: Views[Shape] | None) -> tuple[Setup, ...]:
    styles, optimizers, engines = style_of(read), optimizer_for(read), _engines(read)
    frozen = frozen_of(read, styles) if common.lora else (0.0, 0.0, 0.0)
    recompute = read.flag("activation_checkpointing", low=True, usual=False, high=False)
    compiled = read.flag("compile", low=True, usual=False, high=False)
    loss = read.flag("fused_loss", low=True, usual=False, high=False)
    fused, accumulation = _attention(read), _accumulation(read)
    # Megatron adds gradients up in fp32 in bf16 runs and can be told not to.
    gradients = (2, 4, 4) if read.megatron and styles[1] == "master" else (0, 0, 0)
    errors = (0.85, 1.0, 1.15) if read.eager else (0.7, 1.0, 1.25)
    if common.known:
        errors = (1.0, 1.0, 1.0)
    if common.lora:
        read.assumed["LoRA targets"] = "all linear maps"
    stated = read.config.integer("parameters")
    perhaps = _perhaps_sharded(read, common)
    return tuple(
        replace(
            perhaps if i == 0 else common,
            shape=shapes[i] if shapes else None,
            parameters=stated or (shapes[i].parameters if shapes else 0),
            style=styles[i],
            optimizer=optimizers[i],
            gradient_bytes=gradients[i],
            engine=engines[i],
            every_map=i > 0,
            frozen_bytes=frozen[i],
            recompute=recompute[i],
            compiled=compiled[i],
            fused_loss=loss[i],
            fused_attention=fused[i],
            accumulation=accumulation[i],
            error=errors[i],
            view=i,
        )
        for i in range(3)
    )


def _perhaps_sharded(read: Reader, common: Setup) -> Setup:
    """The leanest sharding that nothing rules out: a script may shard and no config tells."""
    config = read.config
    ranks = config.integer("data_parallel_size") or config.integer("world_size")
    told = config.get("fsdp") is not None or config.integer("zero_stage") is not None
    if told or read.megatron or ranks == 1:
        return common
    read.assumed["zero_stage"] = "0"
    return replace(common, zero=3, shards=ranks or UNKNOWN_RANKS)


def _accumulation(read: Reader) -> Views[int]:
    steps = read.config.integer("gradient_accumulation_steps")
    if steps:
        return steps, steps, steps
    read.assumed["gradient_accumulation_steps"] = "1"
    return 1, 1, 2


def _attention(read: Reader) -> Views[bool]:
    """Whether attention is fused (flash, sdpa): then no scores are kept."""
    word = read.word("attention")
    if not word:
        read.assumed["attention"] = "fused (sdpa or flash)"
        return True, True, True
    fused = not any(w in word for w in ("eager", "math", "naive", "unfused"))
    return fused, fused, fused


def _engines(read: Reader) -> Views[Engine]:
    """What spreads the run over ranks."""
    config = read.config
    if config.get("fsdp") is True:
        return "fsdp", "fsdp", "fsdp"
    if config.integer("zero_stage") is not None:
        return "deepspeed", "deepspeed", "deepspeed"
    if read.megatron:
        return "megatron", "megatron", "megatron"
    names = ("world_size", "data_parallel_size", "gpus_per_node", "nodes")
    known = [size for size in map(config.integer, names) if size is not None]
    if not known:
        read.assumed["world_size"] = "1"
        return "single", "single", "ddp"
    return ("single", "ddp", "ddp") if max(known) > 1 else ("single", "single", "single")
