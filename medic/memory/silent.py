"""What frameworks with trainers of their own do where their config says nothing, as far as it moves bytes.

Sources: Megatron-LM ``training/arguments.py`` (the head is the embedding without
``--untie-embeddings-and-output-weights``; SwiGLU's width is two thirds of 4 * hidden_size in whole 64s; no
recomputation without ``--recompute-granularity``); NeMo ``conf/megatron_gpt_config.yaml`` and
``megatron_gpt_model.py`` (``share_embeddings_and_output_weights`` on, no granularity); GPT-NeoX
``neox_arguments/neox_args.py`` (``no_weight_tying`` and ``checkpoint_activations`` off, ``attention_config``
global attention, whose scores are kept); torchtitan ``config/job_config.py`` (``data_parallel_shard_degree``
-1, ``mixed_precision_param`` bfloat16, ``activation_checkpoint.mode`` selective); OLMo ``olmo/config.py``
(``distributed_strategy`` fsdp, ``weight_tying`` on, ``mlp_ratio`` 4, ``activation_type`` swiglu, of whose width
half is the gate; no recomputation); OpenRLHF ``cli/train_sft.py`` (``zero_stage`` 2, ``param_dtype`` bf16,
recomputation off); litgpt ``finetune/full.py`` and ``finetune/lora.py`` (FSDP with recomputed blocks wherever
there is more than one GPU; ``pretrain.py`` recomputes nothing); verl ``trainer/config/actor`` and
``sft_trainer.yaml`` (FSDP with fp32 weights under bf16); nanotron ``config/parallelism_config.py``
(``recompute_layer`` off); slime ``backends/megatron_utils/arguments.py``; ms-swift
``megatron/arguments/megatron_args.py``; nanoGPT ``train.py`` and ``model.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from medic.memory import details, torchtitan
from medic.run_config import MORE, RunConfig, Scalar

Fields = Mapping[str, Scalar]


def _partly(config: RunConfig) -> bool:
    """Whether flags that only the running shell knows may say what the rest does not."""
    return config.setting(MORE) is not None


def _is_on(config: RunConfig, name: str) -> bool:
    stated = config.setting(name)
    return stated is not None and stated.value is True


def _ranks(config: RunConfig) -> int:
    return max(config.integer(name) or 1 for name in ("world_size", "gpus_per_node", "nodes"))


def _megatron(config: RunConfig) -> Fields:
    if _partly(config):
        return {}
    hidden, width = config.integer("hidden_size"), None
    if hidden and _is_on(config, "swiglu"):
        width = int(4 * hidden * 2 / 3 / 64) * 64
    usual: dict[str, Scalar] = {"tied_embeddings": True, "activation_checkpointing": False}
    return usual | ({"ffn_size": width} if width else {})


def _slime(config: RunConfig) -> Fields:
    """Always the distributed optimizer, bf16 if not fp16."""
    return {**_megatron(config), "precision": "bf16", "zero_stage": 1}


def _megatron_swift(config: RunConfig) -> Fields:
    """The distributed optimizer is on, the type the model's; of a layer attention's core alone is recomputed,
    which flash attention, its default, makes no difference to."""
    written = config.setting("use_distributed_optimizer")
    shards: Fields = {} if written is not None and written.value is False else {"zero_stage": 1}
    usual: Fields = {} if _partly(config) else {"activation_checkpointing": False}
    return {"precision": "bf16", **shards, **usual}


def _nemo(config: RunConfig) -> Fields:  # noqa: ARG001 - one signature for all
    return {"tied_embeddings": True, "activation_checkpointing": False}


def _neox(config: RunConfig) -> Fields:
    usual: Fields = {"tied_embeddings": True, "activation_checkpointing": False}
    named = any("attention_config" in s.path for s in config.settings)
    return usual if named else {**usual, "attention": "eager"}


def _nanotron(config: RunConfig) -> Fields:  # noqa: ARG001
    return {"activation_checkpointing": False}


def _openrlhf(config: RunConfig) -> Fields:
    usual: dict[str, Scalar] = {"zero_stage": 2, "precision": "bf16"}
    return usual if _partly(config) else {**usual, "activation_checkpointing": False}


def _litgpt(config: RunConfig) -> Fields:
    """A finetuning run names the checkpoint that it starts from."""
    if _ranks(config) == 1:
        return {"activation_checkpointing": False}
    tuned = config.setting("checkpoint_dir") is not None or bool(config.integer("lora_rank"))
    return {"fsdp": True, "activation_checkpointing": tuned}


def _olmo(config: RunConfig) -> Fields:
    shards: Fields = {"fsdp": True} if details.word(config, "strategy") in ("", "fsdp") else {}
    usual: dict[str, Scalar] = {"parameter_dtype": "fp32", "tied_embeddings": True}
    hidden, ratio = config.integer("hidden_size"), details.count(config, "ffn_ratio", 4)
    if hidden:
        gated = "glu" in (details.word(config, "activation") or "swiglu")
        usual["ffn_size"] = ratio * hidden // (2 if gated else 1)
    return {**shards, **usual, "activation_checkpointing": False}


def _torchtitan(config: RunConfig) -> Fields:
    shards: Fields = {} if details.count(config, "shard_degree", -1) == 1 else {"fsdp": True}
    usual: dict[str, Scalar] = {"precision": "bf16", "parameter_dtype": "fp32"}
    if not torchtitan.states_mode(config):
        usual["activation_checkpointing"] = True
    return {**shards, **usual}


def _verl(config: RunConfig) -> Fields:
    spread = config.integer("zero_stage") is not None or details.megatron_actor(config)
    shards: Fields = {} if spread else {"fsdp": True}
    return {**shards, "precision": "bf16", "parameter_dtype": "fp32"}


def _verl_sft(config: RunConfig) -> Fields:  # noqa: ARG001
    usual: Fields = {"fsdp": True, "precision": "bf16", "parameter_dtype": "fp32"}
    return {**usual, "activation_checkpointing": True}


def _nanogpt(config: RunConfig) -> Fields:  # noqa: ARG001
    """Autocast in bf16 where the card has it, GPT-2's vocabulary padded to 50,304 where the data brings none; the
    head is the embedding, nothing is recomputed."""
    usual: Fields = {"precision": "bf16", "parameter_dtype": "fp32", "vocab_size": 50304}
    return {**usual, "tied_embeddings": True, "activation_checkpointing": False}


SILENT: Mapping[str, Callable[[RunConfig], Fields]] = {
    "gpt-neox": _neox,
    "litgpt": _litgpt,
    "megatron": _megatron,
    "megatron-swift": _megatron_swift,
    "nanogpt": _nanogpt,
    "nanotron": _nanotron,
    "nemo": _nemo,
    "olmo": _olmo,
    "openrlhf": _openrlhf,
    "slime": _slime,
    "torchtitan": _torchtitan,
    "easyr1": _verl,
    "verl": _verl,
    "verl-sft": _verl_sft,
}
