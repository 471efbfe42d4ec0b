"""A measured row as the run config that a user would have had."""

from __future__ import annotations

from typing import Any

from medic.run_config import Origin, RunConfig, Setting, Value

# The script's own loop runs no autocast over weights in 16 bits: no trainer is told a precision.
PRECISION = {"fp32": "fp32", "fp16_autocast": "fp16", "bf16_pure": None}


def config_of(row: dict[str, Any]) -> RunConfig:
    """The row as a run config that leaves nothing open."""
    mode = row.get("mode", "")
    world = row.get("world", 1)
    values = {**sizes(row), **batch(row), **states(row), **spread(row, mode, world)}
    stated = {k: Value(v, Origin("given")) for k, v in values.items() if v is not None}
    family = {} if mode == "megatron" else {"model_type": row.get("family", "llama")}
    settings = {**family, **details(row, mode)}
    frameworks = {"megatron": "megatron"}
    return RunConfig(
        stated,
        framework=frameworks.get(mode, "hf-trainer"),
        settings=tuple(
            Setting((key,), value, Origin("given"))
            for key, value in settings.items()
            if value is not None
        ),
    )


def window(row: dict[str, Any]) -> int | None:
    """Of transformers' MistralConfig, whose own default the rows kept."""
    return 4096 if row.get("family") == "mistral" else None


TRAINERS = {"hf": "hf-trainer", "trl": "trl", "dpo": "trl"}
# What of a trainer's arguments is a canonical field.
FIELDS = {
    "per_device_train_batch_size": "micro_batch_size",
    "gradient_accumulation_steps": "gradient_accumulation_steps",
    "gradient_checkpointing": "activation_checkpointing",
    "optim": "optimizer",
    "use_liger_kernel": "fused_loss",
    "torch_compile": "compile",
}


def trainer_config(row: dict[str, Any]) -> RunConfig:
    """The config of a row that a trainer took: what its user stated and the model's sizes."""
    stated = {FIELDS[k]: v for k, v in row["arguments"].items() if k in FIELDS}
    if row["arguments"].get("bf16"):
        stated["precision"] = "bf16"
    if row["trainer"] in ("trl", "dpo"):  # sft_config.py: on, and a reader of the config knows it
        stated.setdefault("activation_checkpointing", True)
    if row.get("dtype") == "bf16_pure":
        stated["parameter_dtype"] = "bf16"
    if row.get("lora"):
        stated["lora_rank"] = row["lora"]
    values = {**sizes(row), "sequence_length": row["seq"], **stated}
    settings = {"model_type": row.get("family", "llama"), **row["arguments"]}
    if window(row):
        settings["sliding_window"] = window(row)
    if row["trainer"] == "dpo":  # of TRL 1.14 or later
        settings["stage"] = "dpo"
        values["fused_loss"] = True
    if row.get("lora"):
        settings["lora_target_modules"] = " ".join(row.get("lora_maps", ())) or "all-linear"
    return RunConfig(
        {k: Value(v, Origin("given")) for k, v in values.items() if v is not None},
        framework=row.get("framework", TRAINERS[row["trainer"]]),
        settings=tuple(Setting((k,), v, Origin("given")) for k, v in settings.items()),
    )


def sizes(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "hidden_size": row["hidden"],
        "num_layers": row["layers"],
        "num_heads": row["heads"],
        "num_kv_heads": row["kv_heads"],
        "head_dim": row.get("head_dim"),
        "ffn_size": row["inter"],
        "vocab_size": row["vocab"],
        "tied_embeddings": row.get("tie", False),
        "num_experts": row.get("experts"),
        "parameters": row.get("params") if row.get("family") == "gpt2" else None,
    }


def batch(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "sequence_length": row["seq"],
        "micro_batch_size": row["micro"],
        "gradient_accumulation_steps": row.get("accum", 1),
        "activation_checkpointing": row.get("ckpt", False) is True,
        "compile": False,
        "attention": row.get("attn", "sdpa") if row.get("mode") != "megatron" else "unfused",
        "fused_loss": row.get("loss") == "fused",
    }


def states(row: dict[str, Any]) -> dict[str, Any]:
    held = "bf16" if row.get("dtype") == "bf16_pure" else "fp32"
    if row.get("quant"):
        held = "fp32" if row.get("prepared") else "bf16"
    optimizer = row.get("optim", "adamw")
    if optimizer == "adafactor":
        optimizer = "torch.optim.Adafactor"
    return {
        # Megatron Core fell back to torch's own AdamW, whose step makes temporaries.
        "optimizer": "adamw_foreach" if row.get("mode") == "megatron" else optimizer,
        "precision": "fp8" if row.get("fp8") else PRECISION.get(row.get("dtype", ""), "bf16"),
        "parameter_dtype": held,
        "quantization": {"nf4": "4bit", "int8": "8bit"}.get(row.get("quant", ""), "none"),
        "lora_rank": row.get("lora"),
        "optimizer_offload": "cpu" if row.get("offload") else "none",
    }


def spread(row: dict[str, Any], mode: str, world: int) -> dict[str, Any]:
    tensor = row.get("tensor", world if mode in ("tp", "sp") else 1)
    context = world if mode == "cp" else 1
    pipeline = row.get("pipeline", world if mode == "pp" else 1)
    zero = int(mode[-1]) if mode.startswith("zero") else None
    if mode == "megatron" and row.get("distributed_optimizer", True):
        zero = 1
    return {
        "world_size": world,
        "data_parallel_size": world // tensor // pipeline // context,
        "context_parallel_size": context,
        "expert_parallel_size": row.get("expert"),
        "tensor_parallel_size": tensor,
        "pipeline_parallel_size": pipeline,
        "fsdp": mode.startswith(("fsdp", "cp")),
        "zero_stage": zero,
    }


def details(row: dict[str, Any], mode: str) -> dict[str, Any]:
    """Settings that are no canonical fields, by a framework's names."""
    found: dict[str, Any] = {
        "num_experts_per_tok": row.get("top_k"),
        "shared_expert_intermediate_size": row.get("shared"),
        "per_device_eval_batch_size": row.get("evaluate"),
        "sliding_window": window(row),
    }
    if row.get("lora"):
        maps = "all" if row.get("lora_every", True) else "q_proj v_proj"
        found["lora_target_modules"] = " ".join(row.get("lora_maps", ())) or maps
    found["own_adapters"] = row.get("own")
    found["stage"] = "dpo" if row.get("pairs") else None
    if row.get("quant") == "nf4":
        found["bnb_4bit_use_double_quant"] = True
    if mode == "megatron":
        found["recompute_granularity"] = "selective" if row.get("ckpt") == "selective" else None
        found["bias_swiglu_fusion"] = False
        found["transformer_impl"] = "local"
        found["accumulate_allreduce_grads_in_fp32"] = row.get("reduce") != "bf16"
    if mode == "ddp":
        found["gradient_as_bucket_view"] = row.get("bucket_view", False)
    if mode in ("sp", "megatron"):
        found["sequence_parallel"] = mode == "sp" or row.get("sequence_parallel", False)
    if mode.startswith(("fsdp", "cp")):
        found["fsdp_version"] = 1 if mode == "fsdp1" else 2
        found["reshard_after_forward"] = row.get("reshard", True)
        found["offload_params"] = bool(row.get("offload"))
        kind = "SHARDED_STATE_DICT" if row.get("save") == "shards" else "FULL_STATE_DICT"
        found["fsdp_state_dict_type"] = kind
        found["model_on_card_first"] = row.get("load") == "whole"
        found["state_dict_on_card"] = row.get("save") == "card"
    if mode.startswith("zero"):
        found["reduce_bucket_size"] = row.get("bucket")
        found["overlap_comm"] = row.get("overlap", False)
    return found
