"""What moves bytes and no canonical field tells: frameworks' own settings, and what they do where
their config is silent.

Sources: axolotl ``utils/config/__init__.py`` (``resolve_dtype``: weights are loaded in bf16 where bf16 is on or
auto), ``utils/schemas`` (``adamw_torch_fused``, no recomputation) and ``loaders/model.py``
(``_configure_embedding_dtypes``: so are, under adapters, embeddings and norms beside quantised maps);
LLaMA-Factory ``model/model_utils/checkpointing.py`` (``prepare_model_for_training`` leaves frozen weights in 16
bits) and ``finetuning_args.py`` (``lora_rank`` 8); ms-swift ``tuner_args.py`` (``lora_rank`` 8); transformers
``training_args.py`` (``adamw_torch_fused`` since torch 2.8; measured); TRL ``trainer/sft_config.py`` (bf16
unless fp16 is set) and ``kernels/chunked_logprob.py`` (the logits are never whole, TRL 1.x; measured); OLMo
``olmo/config.py`` (half of SwiGLU's ``mlp_hidden_size`` is the gate). Trainers of their own: ``silent.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from medic.memory import chunked, details, megatron, plugins, recomputing, torchtitan, verl
from medic.memory.silent import SILENT
from medic.records import replace
from medic.run_config import Origin, RunConfig, Scalar, Value
from medic.text.patterns import regex

Fields = Mapping[str, Scalar]
# TRL's classes of arguments (``trl/trainer``, ``trl/experimental``).
_TRL_ARGUMENTS = frozenset(
    ("SFTConfig", "DPOConfig", "GRPOConfig", "KTOConfig", "ORPOConfig", "CPOConfig", "RewardConfig",
     "RLOOConfig")
)  # fmt: skip
# Arguments of TRL's trainers that SFTConfig has not.
_NOT_SFT = ("num_generations", "max_prompt_length", "max_completion_length", "beta", "reward_funcs")
_DTYPES = {"bfloat16": "bf16", "bf16": "bf16", "float16": "fp16", "fp16": "fp16", "half": "fp16",
           "float32": "fp32", "fp32": "fp32", "auto": "bf16"}  # fmt: skip
_BNB = {"bnb.nf4": "4bit", "bnb.fp4": "4bit", "bnb.int8": "8bit"}  # litgpt --quantize
_PRESET = regex(r"zero([0-3])(_offload)?")
_RANK = 8  # LLaMA-Factory's, ms-swift's and torchtune's


def settled(config: RunConfig) -> tuple[RunConfig, dict[str, str]]:
    """The config with what its framework's own settings and habits tell, where nothing states it;
    and the habits among them, in words."""
    own = {name: value for name, value in _own(config).items() if config.get(name) is None}
    config = with_values(config, own, "")
    if plugins.loss_without_plugin(config):
        config = with_values(config, {"fused_loss": False}, "")
    usual = {name: value for name, value in _habits(config).items() if config.get(name) is None}
    config = with_values(config, usual, config.framework)
    words = told({**_by_default(config), **usual})
    if torchtitan.by_default(config):
        words["activation_checkpointing"] = torchtitan.SECOND
    return config, words


def _by_default(config: RunConfig) -> Fields:
    """Of the defaults in the framework's entry the one that moves the peak most."""
    found = config.values.get("activation_checkpointing")
    if found is None or found.origin.source != "default":
        return {}
    return {"activation_checkpointing": found.value}


def with_values(config: RunConfig, fields: Fields, framework: str) -> RunConfig:
    origin = Origin("default" if framework else "derived", framework=framework, note="assumed")
    return replace(
        config, values={**config.values, **{n: Value(v, origin) for n, v in fields.items()}}
    )


def told(fields: Fields) -> dict[str, str]:
    """Assumed fields with their values in words."""
    words = {True: "on", False: "off"}
    return {n: words[v] if isinstance(v, bool) else str(v) for n, v in fields.items()}


# --- settings of their own ------------------------------------------------------------------


def _own(config: RunConfig) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    bits = details.count(config, "quant_bits")
    if details.flag(config, "four_bit") or bits == 4 or details.word(config, "tuning") == "qlora":
        found["quantization"] = "4bit"
    elif details.flag(config, "eight_bit") or bits == 8:
        found["quantization"] = "8bit"
    if details.word(config, "bf16") == "auto":
        found["precision"] = "bf16"
    held = _held(config)
    if held:
        found["parameter_dtype"] = held
    if details.flag(config, "pure") is True:
        found |= {"precision": "bf16", "parameter_dtype": "bf16"}
    if megatron.makes_no_logits(config):
        found["fused_loss"] = True
    found["activation_checkpointing"] = recomputing.by_code(config)
    if config.framework == "torchtune" and held:
        found["precision"] = held
    if config.framework == "axolotl" and _written(config, "fsdp_config"):
        found["fsdp"] = True
    if "qlora" in details.word(config, "model_part"):
        found["quantization"] = "4bit"
    if config.framework == "litgpt":
        found["quantization"] = _BNB.get(details.word(config, "quantize").removesuffix("-dq"))
    shards = details.count(config, "shard_degree")
    if shards > 1 and config.integer("world_size") is None:
        found["data_parallel_size"] = shards
    found |= _lightning(config)
    found |= _preset(config)
    if config.framework == "olmo" and details.word(config, "activation") in ("", "swiglu"):
        found["ffn_size"] = details.count(config, "plain_ffn") // 2 or None
    found = {name: value for name, value in found.items() if value is not None}
    more = _MORE.get(config.framework)
    return found | (more(config) if more is not None else {})


def _preset(config: RunConfig) -> dict[str, Scalar]:
    """DeepSpeed's stage by a preset's name (ms-swift ``--deepspeed zero2_offload``; its files are in
    ``swift/config``)."""
    name = _PRESET.fullmatch(details.word(config, "engine_config"))
    if name is None:
        return {}
    return {"zero_stage": int(name[1]), "optimizer_offload": "cpu" if name[2] else None}


def _held(config: RunConfig) -> str:
    """The dtype that a training config loads weights in; a model's own config tells another."""
    name = "dtype" if config.framework in ("torchtune", "trl", "hf-trainer") else "torch_dtype"
    models = model_files(config)
    for key in (name, "torch_dtype"):
        stated = config.setting(key, config.framework)
        if stated is None or stated.origin.framework == "hf-model":
            continue
        if stated.origin.span is None or stated.origin.span.file not in models:
            return _DTYPES.get(str(stated.value).lower().removeprefix("torch."), "")
    return ""


def _written(config: RunConfig, section: str) -> bool:
    """Whether a section of this name holds anything."""
    return any(section in s.path[:-1] for s in config.settings)


def _lightning(config: RunConfig) -> dict[str, Scalar]:
    """Of Lightning's words for a precision: ``bf16-true`` holds weights in it, ``bf16-mixed`` not."""
    name, _, kind = details.word(config, "precision_words").partition("-")
    if kind == "mixed":
        return {"parameter_dtype": "fp32"}
    held = {"bf16": "bf16", "16": "fp16"}.get(name)
    return {"parameter_dtype": held} if kind == "true" and held else {}


def model_files(config: RunConfig) -> set[str]:
    """Files that are a model's own config, whatever their name."""
    stated = (s.origin.span for s in config.settings if s.path == ("architectures",))
    return {span.file for span in stated if span is not None}


def _sampled(config: RunConfig) -> dict[str, Scalar]:
    """The longest prompt with the longest answer that is sampled for it."""
    prompt, response = (details.count(config, n) for n in ("prompt_length", "response_length"))
    return {"sequence_length": prompt + response} if prompt and response else {}


_MORE: Mapping[str, Callable[[RunConfig], dict[str, Scalar]]] = {
    "nemo": megatron.sharded_states,
    "openrlhf": _sampled,
    "torchtune": chunked.stated,
    "trl": _sampled,
    "easyr1": verl.micro_batch,
    "verl": verl.micro_batch,
}


# --- habits ---------------------------------------------------------------------------------


def _axolotl(config: RunConfig) -> Fields:
    """``bf16`` is ``auto`` by default (axolotl ``utils/schemas/config.py``)."""
    sharded = config.get("fsdp") is True or config.integer("zero_stage")
    precision = config.get("precision") or "bf16"
    held: Fields = {} if precision != "bf16" or sharded else {"parameter_dtype": "bf16"}
    return {"precision": precision, **held, **_trainer(config), "activation_checkpointing": False}


def _trainer(config: RunConfig) -> Fields:  # noqa: ARG001 - one signature for all
    """transformers' Trainer, on which others stand."""
    return {"optimizer": "adamw_torch_fused"}


def _llama_factory(config: RunConfig) -> Fields:
    habits = _with_rank(config)
    precision = config.get("precision")
    if not details.has_adapters(config) or precision not in ("bf16", "fp16"):
        return habits
    return {**habits, "parameter_dtype": precision}  # of what is frozen and not quantised


def _with_rank(config: RunConfig) -> Fields:
    rank: Fields = {"lora_rank": _RANK} if details.has_adapters(config) else {}
    return {**_trainer(config), **rank}


def _swift(config: RunConfig) -> Fields:
    """Weights are loaded in the checkpoint's own type, hardly ever fp32, and that is the precision too (ms-swift
    ``arguments/base_args/model_args.py``, ``torch_dtype``)."""
    return {**_with_rank(config), "precision": "bf16", "parameter_dtype": "bf16"}


def _trl(config: RunConfig) -> Fields:
    loss: Fields = {"fused_loss": True} if _loss_in_chunks(config) else {}
    return {**_trainer(config), "precision": "bf16", "activation_checkpointing": True, **loss}


def _loss_in_chunks(config: RunConfig) -> bool:
    """Of SFT by default; of the other trainers, which have settings that SFT has not, by Liger's
    (TRL ``trainer/grpo_config.py``, ``dpo_config.py``; ``use_liger_loss`` in older ones)."""
    if details.flag(config, "liger_loss") is True:
        return True
    if details.more_models(config) or any(config.setting(k) is not None for k in _NOT_SFT):
        return False
    return details.word(config, "loss_type") in ("", "chunked_nll")


def _torchtune(config: RunConfig) -> Fields:
    """The recipes of several GPUs shard all (``recipes/full_finetune_distributed.py``,
    ``shard_model``); the others run on one (``torchtune/_recipe_registry.py``)."""
    ranks = (config.integer(name) or 1 for name in ("world_size", "gpus_per_node", "nodes"))
    usual: Fields = {"activation_checkpointing": False}
    shards: Fields = {"fsdp": True, **usual} if max(ranks) > 1 else usual
    adapters = "lora_" in details.word(config, "model_part")  # _model_builders.py: lora_rank=8
    return {**shards, "lora_rank": _RANK} if adapters else shards


HABITS: Mapping[str, Callable[[RunConfig], Fields]] = {
    **SILENT,
    "axolotl": _axolotl,
    "hf-trainer": _trainer,
    "llama-factory": _llama_factory,
    "ms-swift": _swift,
    "torchtune": _torchtune,
    "trl": _trl,
}


def _habits(config: RunConfig) -> Fields:
    made = config.setting("_target_")  # by a script, of the arguments that it hands to a trainer
    own = made is not None and str(made.value).rpartition(".")[2] in _TRL_ARGUMENTS
    found = HABITS.get("trl" if own else config.framework)
    return found(config) if found is not None else {}
