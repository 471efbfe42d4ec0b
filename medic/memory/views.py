"""Reads a run config into its three set-ups."""

from __future__ import annotations

from dataclasses import dataclass, replace

from medic.memory.setup import (
    Reader,
    Setup,
    frozen_of,
    optimizer_for,
    shape_of,
    shards_of,
    style_of,
)
from medic.memory.shape import Shape
from medic.run_config import RunConfig


@dataclass(frozen=True, slots=True)
class Read:
    """The set-ups (empty if not even the states can be told), and what was open."""

    setups: tuple[Setup, ...]
    assumed: tuple[str, ...]
    unknown: tuple[str, ...]


def read_setups(config: RunConfig) -> Read:
    read = Reader(config)
    setups = _setups(read)
    assumed = tuple(f"{name} = {value}" for name, value in sorted(read.assumed.items()))
    return Read(setups, assumed, tuple(sorted(read.unknown)))


def _setups(read: Reader) -> tuple[Setup, ...]:
    config = read.config
    shapes = shape_of(read)
    parameters = config.integer("parameters")
    if parameters is None and shapes is None:
        read.unknown["parameters"] = None
        return ()
    if (config.integer("num_experts") or 1) > 1:
        read.unknown["num_experts"] = None  # the formulas are those of dense models
        return ()
    tensor = config.integer("tensor_parallel_size") or 1
    pipeline = config.integer("pipeline_parallel_size") or 1
    context = config.integer("context_parallel_size") or 1
    fsdp = config.get("fsdp") is True
    stage = config.integer("zero_stage")
    zero = 3 if fsdp else stage or 0
    shards = shards_of(read, tensor, pipeline, context) if zero else 1
    if shards is None:
        return ()
    base = _base(read, shapes[1] if shapes else None, parameters)
    base = replace(
        base, zero=zero, shards=shards, tensor=tensor, pipeline=pipeline, context=context
    )
    return _spread(read, base, shapes, parameters, _engines(read, fsdp=fsdp, stage=stage))


def _base(read: Reader, shape: Shape | None, parameters: int | None) -> Setup:
    style = style_of(read)[1]
    return Setup(
        shape=shape,
        parameters=parameters or (shape.parameters if shape else 0),
        style=style,
        optimizer=optimizer_for(read)[1],
        gradient_bytes=0,
        zero=0,
        shards=1,
        engine="single",
        tensor=1,
        pipeline=1,
        context=1,
        lora=read.config.integer("lora_rank") or 0,
        every_map=True,
        frozen_bytes=0.0,
        offloaded=read.word("optimizer_offload") in ("cpu", "nvme"),
        recompute=False,
        fused_attention=True,
        compiled=False,
        fused_loss=False,
        micro=read.count("micro_batch_size"),
        sequence=read.count("sequence_length"),
        accumulation=1,
        error=1.0,
        view=1,
    )


def _spread(
    read: Reader,
    base: Setup,
    shapes: tuple[Shape, Shape, Shape] | None,
    parameters: int | None,
    engines: tuple[str, str, str],
) -> tuple[Setup, ...]:
    styles = style_of(read)
    optimizers = optimizer_for(read)
    frozen = frozen_of(read, styles) if base.lora else (0.0, 0.0, 0.0)
    recompute = read.flag("activation_checkpointing", low=True, usual=False, high=False)
    compiled = read.flag("compile", low=True, usual=False, high=False)
    loss = read.flag("fused_loss", low=True, usual=False, high=False)
    fused = _attention(read)
    steps = read.config.integer("gradient_accumulation_steps")
    if steps is None:
        read.assumed["gradient_accumulation_steps"] = "1"
    accumulation = (steps, steps, steps) if steps else (1, 1, 2)
    # Megatron adds gradients up in fp32 in bf16 runs, DeepSpeed in the weights' own precision.
    gradients = (2, 4, 4) if read.megatron and styles[1] == "master" else (0, 0, 0)
    errors = (0.85, 1.0, 1.15) if read.eager else (0.7, 1.0, 1.25)
    if base.lora and shapes:
        read.assumed["LoRA targets"] = "all linear maps"
    return tuple(
        replace(
            base,
            shape=shapes[i] if shapes else None,
            parameters=parameters or (shapes[i].parameters if shapes else 0),
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


def _attention(read: Reader) -> tuple[bool, bool, bool]:
    """Whether attention is fused (flash, sdpa): then no scores are kept."""
    word = read.word("attention")
    if not word:
        read.assumed["attention"] = "fused (sdpa or flash)"
        return True, True, True
    fused = not any(w in word for w in ("eager", "math", "naive", "unfused"))
    return fused, fused, fused


def _engines(read: Reader, *, fsdp: bool, stage: int | None) -> tuple[str, str, str]:
    if fsdp:
        return "fsdp", "fsdp", "fsdp"
    if stage is not None:
        return "deepspeed", "deepspeed", "deepspeed"
    world = read.config.integer("world_size")
    if world is None:
        sizes = [read.config.integer(n) for n in ("data_parallel_size", "gpus_per_node", "nodes")]
        known = [s for s in sizes if s is not None]
        world = max(known) if known else None
    if read.megatron:
        return "megatron", "megatron", "megatron"
    if world is None:
        read.assumed["world_size"] = "1"
        return "single", "single", "ddp"
    return ("single", "ddp", "ddp") if world > 1 else ("single", "single", "single")
