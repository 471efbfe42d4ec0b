"""Ways of spreading a model of ``measure.py`` over the ranks of one host."""

from __future__ import annotations

from typing import Any


def spread(row: dict[str, Any], model: Any, device: str) -> Any:
    """The model over the ranks of the row (DDP, FSDP1, FSDP2 or tensor parallel)."""
    import torch

    mode = row["mode"]
    if mode == "ddp":
        return torch.nn.parallel.DistributedDataParallel(
            model, gradient_as_bucket_view=row.get("bucket_view", False)
        )
    if mode == "fsdp1":
        return fsdp1(model, device)
    if mode == "tp":
        return tensor_parallel(row, model, device)
    return sequence_parallel(row, model, device) if mode == "sp" else fsdp2(row, model)


def layers_of(model: Any) -> Any:
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return inner.model.layers


def fsdp1(model: Any, device: str) -> Any:
    import functools

    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

    half = MixedPrecision(
        param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16, buffer_dtype=torch.bfloat16
    )
    layer = type(layers_of(model)[0])
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={layer})
    return FullyShardedDataParallel(
        model, auto_wrap_policy=policy, mixed_precision=half, use_orig_params=True,
        device_id=torch.cuda.current_device() if device == "cuda" else None,
    )  # fmt: skip


def fsdp2(row: dict[str, Any], model: Any) -> Any:
    import torch
    from torch.distributed.fsdp import (
        CPUOffloadPolicy,
        MixedPrecisionPolicy,
        OffloadPolicy,
        fully_shard,
    )

    reduce = torch.bfloat16 if row.get("reduce") == "bf16" else torch.float32
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce)
    away = CPUOffloadPolicy() if row.get("offload") else OffloadPolicy()
    reshard = row.get("reshard", True)
    for layer in layers_of(model):
        fully_shard(layer, mp_policy=policy, reshard_after_forward=reshard, offload_policy=away)
    return fully_shard(model, mp_policy=policy, offload_policy=away)


def tensor_parallel(row: dict[str, Any], model: Any, device: str) -> Any:
    """As transformers' own plan: maps split by columns and rows, logits gathered on every rank."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    mesh = init_device_mesh(device, (row["world"],))
    first = [f"self_attn.{n}_proj" for n in "qkv"] + ["mlp.gate_proj", "mlp.up_proj"]
    plan: dict[str, Any] = {name: ColwiseParallel() for name in first}
    plan |= {name: RowwiseParallel() for name in ("self_attn.o_proj", "mlp.down_proj")}
    for layer in model.model.layers:
        parallelize_module(layer, mesh, plan)
    ends = {
        "model.embed_tokens": RowwiseParallel(input_layouts=Replicate()),
        "lm_head": ColwiseParallel(output_layouts=Replicate()),
    }
    return parallelize_module(model, mesh, ends)


def sequence_parallel(row: dict[str, Any], model: Any, device: str) -> Any:
    """Tensor parallel, with norms and the residual stream split along the sequence."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        PrepareModuleInput,
        RowwiseParallel,
        SequenceParallel,
        parallelize_module,
    )

    mesh = init_device_mesh(device, (row["world"],))
    split, whole = Shard(1), Replicate()
    first = [f"self_attn.{n}_proj" for n in "qkv"] + ["mlp.gate_proj", "mlp.up_proj"]
    plan: dict[str, Any] = {name: ColwiseParallel() for name in first}
    plan |= {
        name: RowwiseParallel(output_layouts=split)
        for name in ("self_attn.o_proj", "mlp.down_proj")
    }
    plan |= {"input_layernorm": SequenceParallel(), "post_attention_layernorm": SequenceParallel()}
    plan["self_attn"] = PrepareModuleInput(
        input_kwarg_layouts={"hidden_states": split},
        desired_input_kwarg_layouts={"hidden_states": whole},
    )
    plan["mlp"] = PrepareModuleInput(input_layouts=(split,), desired_input_layouts=(whole,))
    for layer in model.model.layers:
        parallelize_module(layer, mesh, plan)
    ends = {
        "model.embed_tokens": RowwiseParallel(input_layouts=whole, output_layouts=split),
        "model.norm": SequenceParallel(use_local_output=True),
        "lm_head": ColwiseParallel(input_layouts=split, output_layouts=whole),
    }
    return parallelize_module(model, mesh, ends)


def context_step(row: dict[str, Any], model: Any, tokens: Any, peaks: Any) -> None:
    """Forward and backward of one micro batch whose sequences are split over all ranks, attention
    as a ring (torch's own context parallelism, as accelerate uses it)."""
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.experimental import context_parallel
    from torch.nn.attention import SDPBackend, sdpa_kernel

    mesh = init_device_mesh("cuda", (row["world"],))
    labels = torch.roll(tokens, -1, 1)
    parts = [tokens, labels]
    with (
        context_parallel(
            mesh, buffers=parts, buffer_seq_dims=[1, 1], no_restore_buffers=set(parts)
        ),
        sdpa_kernel(SDPBackend.FLASH_ATTENTION),
    ):
        loss = model(input_ids=tokens, labels=labels, shift_labels=labels, use_cache=False).loss
        peaks.mark("forward")
        loss.backward()
        peaks.mark("backward")


def deepspeed_engine(row: dict[str, Any], model: Any) -> Any:
    """The engine of a ZeRO stage; its optimizer is torch's AdamW, fused where on the GPU."""
    import deepspeed
    import torch

    away = {"device": "cpu", "pin_memory": True} if row.get("offload") else {"device": "none"}
    zero: dict[str, Any] = {
        "stage": int(row["mode"][-1]),
        "offload_optimizer": away,
        "overlap_comm": row.get("overlap", False),
    }
    if row.get("bucket"):
        zero |= {"reduce_bucket_size": row["bucket"], "allgather_bucket_size": row["bucket"]}
    weights = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=1e-4, fused=not row.get("offload"))
    engine, *_ = deepspeed.initialize(
        model=model,
        optimizer=optimizer,
        config={
            "train_micro_batch_size_per_gpu": row["micro"],
            "gradient_accumulation_steps": row.get("accum", 1),
            "bf16": {"enabled": True},
            "zero_optimization": zero,
            "zero_force_ds_cpu_optimizer": False,
            "zero_allow_untested_optimizer": True,
        },
    )
    return engine


def stage_of(row: dict[str, Any], model: Any, rank: int, device: str) -> Any:
    """Schedule of this rank's part of the layers: 1F1B over ``accum`` micro batches."""
    import torch
    from torch.distributed import pipelining

    world = row["world"]
    each = row["layers"] // world
    ends = (rank == 0, rank == world - 1)

    class Part(torch.nn.Module):
        def __init__(self, model: Any) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(model.model.layers[rank * each : (rank + 1) * each])
            self.first = model.model.embed_tokens if ends[0] else None
            self.last = torch.nn.Sequential(model.model.norm, model.lm_head) if ends[1] else None
            self.rotary = model.model.rotary_emb

        def forward(self, hidden: Any) -> Any:
            if self.first is not None:
                hidden = self.first(hidden)
            place = torch.arange(hidden.shape[1], device=hidden.device)[None]
            around = self.rotary(hidden, place)
            for layer in self.layers:
                hidden = layer(hidden, position_embeddings=around, attention_mask=None)
            return hidden if self.last is None else self.last(hidden)

    part = Part(model).to(device)
    stage = pipelining.PipelineStage(
        part, rank, world, torch.device(device, rank if device == "cuda" else 0)
    )

    def loss(logits: Any, labels: Any) -> Any:
        wide = logits.float().view(-1, logits.shape[-1])
        return torch.nn.functional.cross_entropy(wide, labels.view(-1))

    return pipelining.Schedule1F1B(stage, row["accum"], loss_fn=loss), part
