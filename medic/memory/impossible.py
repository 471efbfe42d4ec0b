"""Launches that no trainer starts and whose memory is asked for all the same.

Sources: DeepSpeed ``runtime/pipe/engine.py`` (ZeRO-2 and ZeRO-3 are incompatible with pipeline
parallelism) and ``runtime/config.py`` (bf16 and fp16); transformers ``training_args.py`` (at most one
of fp16 and bf16) and ``trainer.py`` (purely quantised models are not fine-tuned); LLaMA-Factory
``hparams/parser.py`` (quantisation is only compatible with LoRA or OFT).
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.memory import details
from medic.run_config import NOBODYS, Origin, RunConfig, Scalar

# Where it is written, and what is wrong, in English and in Chinese.
Told = tuple[Origin | None, str, str]
BATCHES = ("per_device_train_batch_size", "micro_batch_size", "train_micro_batch_size_per_gpu",
           "device_batch_size", "gradient_accumulation_steps")  # fmt: skip
LENGTHS = ("seq_length", "max_seq_length", "seq_len", "cutoff_len", "sequence_len", "max_seq_len")
WHOLE = ("full", "freeze", "none", "")  # tuned weights, in frameworks' words, that are no adapters
# A model's sizes by the keys of transformers' configs.
SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
         "intermediate_size", "vocab_size", "n_embd", "n_layer", "n_head", "d_model")  # fmt: skip
DEEPEST = 1_000  # layers: DeepNet (arXiv 2203.00555); each layer of a step is traced
# Beyond these a slip of the keyboard is likelier than a run: ten to a hundred times what was trained.
MOST = {
    "hidden_size": 262_144, "ffn_size": 4_194_304, "num_heads": 8_192, "head_dim": 16_384,
    "vocab_size": 16_777_216, "num_experts": 65_536, "lora_rank": 65_536,
    "sequence_length": 134_217_728, "micro_batch_size": 1_048_576, "world_size": 1_048_576,
    "gradient_accumulation_steps": 16_777_216,
}  # fmt: skip
SHARDED = 2  # the first ZeRO stage that a pipeline refuses


def impossible(config: RunConfig) -> Iterator[Told]:
    """What is wrong, with its place."""
    yield from _pipeline(config)
    yield from _two_precisions(config)
    yield from _whole_quantised(config)
    yield from _negative(config)
    yield from _no_sizes(config)
    yield from _heads(config)
    yield from _beyond(config)
    layers = config.integer("num_layers") or 0
    if layers > DEEPEST:
        yield (
            config.origin("num_layers"),
            f"num_layers is {layers}: no transformer is deeper than {DEEPEST} layers",
            f"num_layers 为 {layers}：Transformer 没有超过 {DEEPEST} 层的",
        )


def _heads(config: RunConfig) -> Iterator[Told]:
    """Heads that the width does not divide into, and key heads that the heads do not."""
    width, heads, keys = map(config.integer, ("hidden_size", "num_heads", "num_kv_heads"))
    if width and heads and width % heads and not config.integer("head_dim"):
        yield (
            config.origin("hidden_size"),
            f"hidden_size {width} is no multiple of num_heads {heads}, and no head_dim is given",
            f"hidden_size {width} 不是 num_heads {heads} 的整数倍，也没有给出 head_dim",
        )
    if heads and keys and heads % keys:
        yield (
            config.origin("num_kv_heads"),
            f"num_heads {heads} is no multiple of num_kv_heads {keys}",
            f"num_heads {heads} 不是 num_kv_heads {keys} 的整数倍",
        )


def _beyond(config: RunConfig) -> Iterator[Told]:
    for name, most in MOST.items():
        value = config.integer(name)
        if value is not None and value > most:
            yield (
                config.origin(name),
                f"{name} is {value:,}, beyond any run (at most {most:,} is computed)",
                f"{name} 为 {value:,}，超出任何训练可能的取值（最多计算到 {most:,}）",
            )


def _pipeline(config: RunConfig) -> Iterator[Told]:
    stage, stages = config.integer("zero_stage") or 0, _stages(config)
    if stage >= SHARDED and stages > 1 and "megatron" not in config.framework:
        yield (
            config.origin("zero_stage"),
            f"ZeRO stage {stage} and {stages} pipeline stages: DeepSpeed takes stage 0 or 1 there",
            f"ZeRO stage {stage} 与 {stages} 个流水线级并用：DeepSpeed 的流水线引擎只支持 stage 0 或 1",
        )


def _stages(config: RunConfig) -> int:
    """Pipeline stages; DeepSpeed's own section names them as well."""
    found = config.setting("pipeline.stages")
    own = found.value if found is not None and isinstance(found.value, int) else 1
    return max(config.integer("pipeline_parallel_size") or 1, own)


def _two_precisions(config: RunConfig) -> Iterator[Told]:
    for ending in ("", ".enabled"):
        on = [config.setting(name + ending) for name in ("bf16", "fp16")]
        if all(one is not None and _is_on(one.value) for one in on) and on[1] is not None:
            yield (
                on[1].origin,
                "fp16 and bf16 are both on: only one of them can be",
                "fp16 与 bf16 同时开启：只能开启其中一个",
            )
            return


def _is_on(value: Scalar) -> bool:
    return value is True or str(value).lower() in ("true", "yes", "on", "1")


def _whole_quantised(config: RunConfig) -> Iterator[Told]:
    bits = details.count(config, "quant_bits")
    for name in ("quant_bits", "four_bit", "eight_bit"):
        stated = next(filter(None, (config.setting(key) for key in details.KEYS[name])), None)
        on = bits if name == "quant_bits" else details.flag(config, name)
        tuning = details.detail(config, "tuning")
        if stated is None or not on or config.integer("lora_rank"):
            continue
        if isinstance(tuning, str) and tuning.lower() in WHOLE:
            key = stated.path[-1]
            yield (
                stated.origin,
                f"{key} with full fine-tuning: quantised weights are not trained, use LoRA",
                f"全参数微调时设置了 {key}：量化后的权重无法训练，请改用 LoRA 或去掉量化",
            )
            return


def _negative(config: RunConfig) -> Iterator[Told]:
    """Counts that a reader leaves out as none, where a default would take their place."""
    for names, least in ((BATCHES, 0), (LENGTHS, -1)):
        for one in config.settings:
            value = one.value
            known = one.path and one.path[-1] in names and not isinstance(value, bool)
            if known and isinstance(value, (int, float)) and value < least:
                yield (
                    one.origin,
                    f"{one.path[-1]} is {value}, it has to be at least 1",
                    f"{one.path[-1]} 为 {value}，必须至少为 1",
                )


def _no_sizes(config: RunConfig) -> Iterator[Told]:
    """Sizes that no model has. GPT-2's ``n_inner`` and the like may be null: none is stated there."""
    for one in config.settings:
        value = one.value
        named = (
            one.path and one.path[-1] in SIZES and one.origin.framework in ("hf-model", *NOBODYS)
        )
        if not named or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if not 1 <= value < float("inf"):
            key = one.path[-1]
            yield (
                one.origin,
                f"{key} is {value}, impossible for a model: it has to be a whole number from 1 on",
                f"{key} 为 {value}，模型不可能有这样的尺寸：必须是不小于 1 的整数",
            )
