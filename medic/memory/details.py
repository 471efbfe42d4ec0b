"""Settings that only some frameworks have and that move bytes, by any framework's name for them."""

from __future__ import annotations

from collections.abc import Mapping

from medic.run_config import RunConfig, Scalar

KEYS: Mapping[str, tuple[str, ...]] = {
    "experts_per_token": ("num_experts_per_tok", "moe_router_topk", "moe_top_k", "moe_topk"),
    "expert_tensor": ("expert_tensor_parallel_size",),
    "expert_ffn": ("moe_intermediate_size", "moe_ffn_hidden_size"),
    "shared_ffn": ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"),
    "shared_experts": ("n_shared_experts",),
    "dense_layers": ("first_k_dense_replace",),
    "sequence_parallel": ("sequence_parallel", "enable_sequence_parallel"),
    "tensor_mode": ("parallelism.tp_mode",),
    "whole_logits": ("disable_loss_parallel",),
    "virtual_size": (
        "virtual_pipeline_model_parallel_size",
        "num_virtual_stages_per_pipeline_rank",
    ),
    "virtual_layers": ("num_layers_per_virtual_pipeline_stage",),
    "pipeline_schedule": ("pipeline_parallel_schedule",),
    "pipeline_micro": ("pipeline_parallel_microbatch_size",),
    "stage_layers": ("pipeline_parallel_layers_per_stage",),
    "recompute_option": ("selective_ac_option",),
    "recompute": (
        "recompute_granularity",
        "activations_checkpoint_granularity",
        "activation_checkpoint.mode",
    ),
    "recompute_attention": ("recompute_activations",),
    "recompute_modules": ("recompute_modules",),
    "recompute_method": ("recompute_method", "activations_checkpoint_method"),
    "recompute_layers": ("recompute_num_layers", "activations_checkpoint_num_layers"),
    "reshard": ("fsdp_reshard_after_forward", "reshard_after_forward"),
    "sharding": ("fsdp_sharding_strategy", "sharding_strategy"),
    "fsdp_version": ("fsdp_version",),
    "parameter_offload": (
        "offload_param.device",
        "offload_param_device",
        "fsdp_offload_params",
        "offload_params",
        "actor.fsdp_config.offload_policy",
        "model.fsdp_config.offload_policy",
        "fsdp_cpu_offload",
        "fsdp.cpu_offload",
        "enable_cpu_offload",
    ),
    "reduce_bucket": ("reduce_bucket_size",),
    "overlap": ("overlap_comm",),
    "bucket_view": ("gradient_as_bucket_view",),
    "state_dict_type": ("fsdp_state_dict_type", "state_dict_type"),
    "replicated": ("model_replicated",),
    "whole_start": ("model_on_card_first",),
    "whole_save": ("state_dict_on_card",),
    "sharded_start": ("zero3_init_flag",),
    "evaluation_batch": ("per_device_eval_batch_size",),
    "axolotl_evaluation": ("eval_batch_size",),
    "evaluation_strategy": ("eval_strategy", "evaluation_strategy"),
    "cut_loss": ("cut_cross_entropy",),
    "liger_loss": ("use_liger_loss", "use_liger_kernel"),
    "loss_type": ("loss_type",),
    "loss_part": ("loss._component_",),
    "loss_chunks": ("loss.num_output_chunks",),
    "adapter_targets": (
        "lora_target_modules",
        "lora_target",
        "lora_target_linear",
        "lora_attn_modules",
    ),
    "adapted_mlp": ("apply_lora_to_mlp",),
    "saved_modules": ("lora_modules_to_save", "modules_to_save", "additional_target"),
    "double_quant": ("bnb_4bit_use_double_quant", "double_quantization"),
    "lean_states": ("use_precision_aware_optimizer",),
    "first_moment": ("exp_avg_dtype",),
    "second_moment": ("exp_avg_sq_dtype",),
    "main_gradients": ("main_grads_dtype",),
    "megatron_fsdp": ("use_megatron_fsdp", "use_custom_fsdp"),
    "megatron_sharding": ("data_parallel_sharding_strategy",),
    "loss_fusion": ("cross_entropy_loss_fusion",),
    "loss_kernel": ("cross_entropy_fusion_impl",),
    "gradients_in_fp32": ("accumulate_allreduce_grads_in_fp32", "grad_reduce_in_fp32"),
    "layers": ("transformer_impl",),
    "rollout_share": ("gpu_memory_utilization", "vllm_gpu_memory_utilization"),
    "generations": ("num_generations",),
    "divergence": ("beta",),
    "reference_dtype": ("reference_torch_dtype",),
    "stage": ("stage", "rlhf_type", "rl"),
    "liger": ("use_liger_kernel", "enable_liger_kernel"),
    "fp8_format": ("fp8_format", "model.fp8"),
    "fused_gate": ("bias_swiglu_fusion", "bias_activation_fusion"),
    "shard_degree": (
        "data_parallel_shard_degree",
        "dp_shard_size",
        "parallelism_config_dp_shard_size",
    ),
    "precision_words": ("precision",),
    "model_part": ("model._component_",),
    "strategy": ("distributed_strategy",),
    "packed": ("packing", "sample_packing", "neat_packing", "padding_free"),
    "padded": ("pad_to_max_length", "pad_to_sequence_len"),
    "padding": ("padding",),
    "plain_ffn": ("mlp_hidden_size",),
    "ffn_ratio": ("mlp_ratio",),
    "activation": ("activation_type", "model.activation"),
    "flavor": ("model.flavor",),
    "model_name": ("model.name",),
    "named": ("model_name",),
    "fused_step": ("optimizer.fused",),
    "four_bit": ("load_in_4bit", "use_4bit"),
    "eight_bit": ("load_in_8bit", "use_8bit"),
    "quant_bits": ("quantization_bit", "quant_bits"),
    "some_layers": (
        "unfrozen_parameters",
        "trainable_parameters",
        "freeze_parameters",
        "freeze_parameters_ratio",
        "lisa_n_layers",
        "lisa_activated_layers",
    ),
    "quantize": ("quantize",),
    "unsloth": ("use_unsloth",),
    "tuning": ("finetuning_type", "tuner_type", "train_type", "sft_type", "adapter"),
    "bf16": ("bf16",),
    "pure": ("pure_bf16",),
    "engine_config": ("deepspeed", "deepspeed_config", "deepspeed_config_file"),
    "actor_micro_batch": ("actor.ppo_micro_batch_size_per_gpu",),
    "actor_strategy": ("actor.strategy",),
    "prompt_length": ("max_prompt_length", "prompt_max_len"),
    "response_length": ("max_response_length", "max_completion_length", "generate_max_len"),
}


# Stages of post-training that hold a second model, or sequences in pairs.
MORE_MODELS = ("ppo", "grpo", "rloo", "dpo", "ipo", "kto", "orpo", "simpo", "cpo", "rm", "reward",
               "gkd")  # fmt: skip


def more_models(config: RunConfig) -> bool:
    """Whether the run holds more than the trained model: reference, critic, rollout engine, pairs."""
    return rolls_out(config) or word(config, "stage") in MORE_MODELS


def rolls_out(config: RunConfig) -> bool:
    """Whether a rollout engine has a share of the GPU, or answers are sampled."""
    told = any(detail(config, name) is not None for name in ("rollout_share", "generations"))
    return told or config.framework == "verl"


def megatron_actor(config: RunConfig) -> bool:
    """Whether verl's actor is Megatron's."""
    return config.framework == "verl" and word(config, "actor_strategy") == "megatron"


# Switches of optimizers that hold states, or gradients, of a part of the weights at a time (LLaMA-Factory
# ``finetuning_args.py``; torchtune ``full_finetune_single_device.py``), and words in the names of others.
_IN_PART = ("use_badam", "use_galore", "use_apollo", "optimizer_in_bwd")
_LEAN_NAMES = ("badam", "galore", "apollo", "lomo")


def in_part(config: RunConfig) -> bool:
    """Whether gradients and optimizer states are those of a part of the weights: some layers are
    frozen, or the optimizer takes them one after the other."""
    switched = any(
        found is not None and found.value is True for found in map(config.setting, _IN_PART)
    )
    named = config.get("optimizer")
    lean = isinstance(named, str) and any(word in named.lower() for word in _LEAN_NAMES)
    some = detail(config, "some_layers")
    return (
        switched or lean or word(config, "tuning") == "freeze" or some not in (None, 0, False, "")
    )


# Switches of steps that are taken layer by layer in the backward pass, with which trainers refuse to accumulate
# (torchtune ``full_finetune_single_device.py``; LLaMA-Factory ``trainer_utils.py``), and the word in the names of
# transformers' (``trainer.py``).
_IN_BACKWARD = ("optimizer_in_bwd", "galore_layerwise", "apollo_layerwise")


def accumulates(config: RunConfig) -> bool:
    """Whether gradients of several micro batches can be added up."""
    switched = any(s is not None and s.value is True for s in map(config.setting, _IN_BACKWARD))
    return not switched and "layerwise" not in str(config.get("optimizer") or "").lower()


def has_adapters(config: RunConfig) -> bool:
    """Whether a setting says that adapters are trained, whatever their rank: by a word, or by a
    program that may make them."""
    named = (config.setting(key) for key in ("lora_r", "lora_target_modules"))
    made = any(s is not None and s.origin.syntax == "python" for s in named)
    return made or word(config, "tuning") in ("lora", "qlora")


def casts(config: RunConfig) -> bool:
    """Whether autocast runs: a trainer is told a 16-bit precision. Weights that are only loaded in
    16 bits are computed with as they are, and so are LLaMA-Factory's ``pure_bf16``: its Trainer is
    told no precision (``hparams/parser.py``), its adapters stay in fp32 (peft,
    ``autocast_adapter_dtype``)."""
    pure = flag(config, "pure") is True and flag(config, "bf16") is not True
    return config.get("precision") in ("bf16", "fp16") and not pure


def adapter_targets(config: RunConfig) -> str:
    """The maps that adapters lie on, in the config's words, one or a list of them."""
    found = [s for s in config.settings if any(name in s.path for name in KEYS["adapter_targets"])]
    words = " ".join(str(s.value).lower() for s in found if s.value is not None)
    if config.framework == "litgpt" and config.integer("lora_rank"):
        return _of_litgpt(config)
    if flag(config, "adapted_mlp") is not True:
        return words
    whole = all(name in words for name in ("q_proj", "k_proj", "v_proj", "output_proj"))
    return "all" if whole else f"{words} mlp"  # torchtune's names


def _of_litgpt(config: RunConfig) -> str:
    """Of its switches, by the common names (``litgpt/finetune/lora.py``: queries and values by default)."""
    usual = {"query": True, "key": False, "value": True, "projection": False, "mlp": False}
    stated = {name: config.setting(f"lora_{name}") for name in usual}
    on = [n for n, one in stated.items() if (usual[n] if one is None else one.value is True)]
    return "all" if len(on) == len(usual) else " ".join(on)


def saved_ends(config: RunConfig) -> int:
    """How many of embedding and head are trained in full beside adapters."""
    found = [s for s in config.settings if any(name in s.path for name in KEYS["saved_modules"])]
    words = " ".join(str(s.value).lower() for s in found if s.value is not None)
    return ("embed" in words or "wte" in words) + ("lm_head" in words or "output" in words)


def detail(config: RunConfig, name: str) -> Scalar:
    """The value of a detail; None where nothing states it."""
    for key in KEYS[name]:
        found = config.setting(key)
        if found is not None and found.value is not None:
            return found.value
    return None


def count(config: RunConfig, name: str, usual: int = 0) -> int:
    """A whole number, else ``usual``. A flag that is off counts as 0."""
    value = detail(config, name)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return usual
    if isinstance(value, bool) or value is None:
        return usual
    return int(value)


def number(config: RunConfig, name: str) -> float:
    """A number, also one that is written as text; 0 where there is none."""
    value = detail(config, name)
    try:
        return float(value) if value is not None and not isinstance(value, bool) else 0.0
    except ValueError:
        return 0.0


def flag(config: RunConfig, name: str) -> bool | None:
    """On, off, or None where nothing says so in words that are known."""
    value = detail(config, name)
    if isinstance(value, bool):
        return value
    text = str(value).lower() if isinstance(value, (str, int)) else ""
    if text in ("true", "yes", "on", "1", "cpu", "nvme"):
        return True
    return False if text in ("false", "no", "off", "0", "none") else None


def word(config: RunConfig, name: str) -> str:
    value = detail(config, name)
    return value.lower() if isinstance(value, str) else ""


def tells_dtype(config: RunConfig) -> bool:
    """Whether the training config, not the model's own, has a key for the dtype of loaded weights."""
    stated = (config.setting(key, config.framework) for key in ("dtype", "torch_dtype"))
    return any(one is not None and one.origin.framework != "hf-model" for one in stated)


def deepspeed(config: RunConfig) -> bool:
    """Whether ZeRO's engine trains: a stage is set, and not by a person who says that none is."""
    origin = config.origin("zero_stage")
    if origin is None or config.integer("zero_stage") is None:
        return False
    return origin.source != "given" or bool(config.integer("zero_stage"))


def unread_engine(config: RunConfig) -> str:
    """The DeepSpeed config that a file names, where none was given: its stage is anything."""
    stated = detail(config, "engine_config")
    named = isinstance(stated, str) and stated.endswith(".json")
    return str(stated) if named and config.get("zero_stage") is None else ""
