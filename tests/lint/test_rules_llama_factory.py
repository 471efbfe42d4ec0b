"""Rules of LLaMA-Factory: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
UNKNOWN = "misspelt-config-key"
NO_EFFECT = "option-without-effect"
VALUE = "flag-value-not-accepted"
OTHERWISE = "option-reads-otherwise"
CLEAN: Keys = {
    "model_name_or_path": "my/model",
    "stage": "sft",
    "do_train": "true",
    "finetuning_type": "lora",
    "dataset": "mine",
    "template": "qwen",
    "cutoff_len": "2048",
    "per_device_train_batch_size": "2",
    "gradient_accumulation_steps": "4",
    "learning_rate": "0.0001",
    "num_train_epochs": "1.0",
    "lr_scheduler_type": "cosine",
    "warmup_steps": "10",
    "bf16": "true",
}
STREAMED: Keys = {"streaming": "true", "max_steps": "100", "num_train_epochs": None}
IN_FULL: Keys = {"finetuning_type": "full"}
EVALUATED: Keys = {"eval_strategy": "epoch", "save_strategy": "epoch", "val_size": "0.1"}
MUTATIONS: Rows = [
    ({"streaming": "true"}, NEEDS, "streaming"),
    ({"streaming": "true", "max_steps": "-1"}, NEEDS, "max_steps"),
    ({"quantization_bit": "4", "finetuning_type": "full"}, EXCLUDE, "quantization_bit"),
    ({"quantization_bit": "4", "resize_vocab": "true"}, EXCLUDE, "resize_vocab"),
    (
        {"adapter_name_or_path": "saves/lora", "finetuning_type": "full"},
        EXCLUDE,
        "adapter_name_or_path",
    ),
    ({"neat_packing": "true", "stage": "dpo"}, EXCLUDE, "neat_packing"),
    ({"predict_with_generate": "true", "stage": "kto"}, EXCLUDE, "predict_with_generate"),
    ({"train_on_prompt": "true", "stage": "dpo"}, EXCLUDE, "train_on_prompt"),
    (
        {"load_best_model_at_end": "true", "stage": "rm", **EVALUATED},
        EXCLUDE,
        "load_best_model_at_end",
    ),
    ({**IN_FULL, "use_galore": "true", "deepspeed": "ds.json"}, EXCLUDE, "use_galore"),
    ({**IN_FULL, "use_apollo": "true", "deepspeed": "ds.json"}, EXCLUDE, "use_apollo"),
    ({"eval_strategy": "steps"}, NEEDS, "eval_strategy"),
    ({"do_eval": "true"}, NEEDS, "do_eval"),
    ({"gradient_checkpointing": "false"}, NO_EFFECT, "gradient_checkpointing"),
    ({"lora_rank": "8", "finetuning_type": "full"}, NO_EFFECT, "lora_rank"),
    ({"quantization_bit": "5"}, VALUE, "quantization_bit"),
    ({"quantization_bit": "3", "quantization_method": "bnb"}, VALUE, "quantization_bit"),
    ({"pref_beta": "-0.1", "stage": "dpo"}, VALUE, "pref_beta"),
    ({"pref_loss": "sigmoids", "stage": "dpo"}, VALUE, "pref_loss"),
    ({"lora_target": "all", "finetuning_type": "freeze"}, NO_EFFECT, "lora_target"),
    ({"packing": "true"}, OTHERWISE, "packing"),
    ({"packing": "true", "neat_packing": "false"}, OTHERWISE, "packing"),
    ({"model_name_or_path": None}, NEEDS, "finetuning_type"),
    ({"lora_target_modules": "all"}, UNKNOWN, "lora_target_modules"),
    ({"dataset": None, "output_dir": "out"}, NEEDS, "do_train"),
    ({"val_size": "0.1", "eval_dataset": "other"}, EXCLUDE, "val_size"),
    ({**STREAMED, "max_samples": "100"}, EXCLUDE, "max_samples"),
    ({**STREAMED, "val_size": "0.1"}, EXCLUDE, "val_size"),
    ({"mask_history": "true", "train_on_prompt": "true"}, EXCLUDE, "mask_history"),
    ({"mask_history": "true", "stage": "dpo"}, EXCLUDE, "mask_history"),
    ({"interleave_probs": "0.5,0.5", "mix_strategy": "concat"}, EXCLUDE, "interleave_probs"),
    ({"loraplus_lr_ratio": "16", "finetuning_type": "full"}, EXCLUDE, "loraplus_lr_ratio"),
    ({"use_rslora": "true", "finetuning_type": "full"}, EXCLUDE, "use_rslora"),
    ({"use_dora": "true", "finetuning_type": "freeze"}, EXCLUDE, "use_dora"),
    ({"pissa_init": "true", "finetuning_type": "full"}, EXCLUDE, "pissa_init"),
    ({"use_galore": "true"}, EXCLUDE, "use_galore"),
    ({"use_apollo": "true"}, EXCLUDE, "use_apollo"),
    ({"use_badam": "true"}, EXCLUDE, "use_badam"),
    ({**IN_FULL, "use_galore": "true", "use_badam": "true"}, EXCLUDE, "use_galore"),
    ({**IN_FULL, "use_galore": "true", "use_apollo": "true"}, EXCLUDE, "use_galore"),
    ({**IN_FULL, "use_apollo": "true", "use_badam": "true"}, EXCLUDE, "use_apollo"),
    ({**IN_FULL, "use_llama_pro": "true"}, EXCLUDE, "use_llama_pro"),
    ({"stage": "ppo"}, NEEDS, "stage"),
    (
        {
            **IN_FULL,
            "learning_rate": "0.000005",
            "stage": "ppo",
            "reward_model": "my/reward",
            "reward_model_type": "lora",
        },
        EXCLUDE,
        "reward_model_type",
    ),
    (
        {"stage": "dpo", "pref_loss": "orpo", "dpo_label_smoothing": "0.1"},
        EXCLUDE,
        "dpo_label_smoothing",
    ),
    ({"pissa_init": "true", "stage": "kto"}, EXCLUDE, "pissa_init"),
    ({"pissa_init": "true", "quantization_bit": "4"}, EXCLUDE, "pissa_init"),
    ({"do_predict": "true", "do_train": None}, NEEDS, "do_predict"),
    ({"compute_accuracy": "true", "predict_with_generate": "true"}, EXCLUDE, "compute_accuracy"),
]
SILENT: list[tuple[Keys, str]] = [
    ({"quantization_bit": "3", "quantization_method": "hqq"}, "HQQ has widths of its own"),
    ({"pref_beta": "0.1", "pref_loss": "orpo", "stage": "dpo"}, "a beta above 0"),
    (
        {"streaming": "true", "max_steps": "100", "num_train_epochs": None},
        "the length of the stream is given",
    ),
    ({"eval_strategy": "steps", "val_size": "0.1"}, "there is data to evaluate on"),
    ({"packing": "true", "neat_packing": "true"}, "samples are kept apart"),
    ({"quantization_bit": "4"}, "LoRA on a quantised model"),
    ({"dataset": None}, "a part of a file may have its data elsewhere"),
    ({**STREAMED, "val_size": "100"}, "a number of samples to evaluate on"),
    ({"use_dora": "true"}, "DoRA is a kind of LoRA"),
    ({**IN_FULL, "use_galore": "true"}, "GaLore trains all weights"),
]

ZERO3 = '{"zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true}}'
WITH_ZERO3: Rows = [
    ({"deepspeed": "ds.json", "bf16": None, "pure_bf16": "true"}, EXCLUDE, "pure_bf16"),
    ({"deepspeed": "ds.json", "predict_with_generate": "true"}, EXCLUDE, "predict_with_generate"),
    ({"deepspeed": "ds.json", "use_unsloth": "true"}, EXCLUDE, "use_unsloth"),
    ({"deepspeed": "ds.json", "pissa_init": "true"}, EXCLUDE, "pissa_init"),
]
ON_TWO = "torchrun --nproc_per_node 2 src/train.py config.yaml\n"
DISTRIBUTED: Rows = [
    ({**IN_FULL, "use_galore": "true", "galore_layerwise": "true"}, EXCLUDE, "galore_layerwise"),
    ({**IN_FULL, "use_apollo": "true", "apollo_layerwise": "true"}, EXCLUDE, "apollo_layerwise"),
]


def test_the_clean_settings_are_silent(lint_keys: LintKeys) -> None:
    assert lint_keys(CLEAN) == []


@pytest.mark.parametrize(("changed", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [(cause, key)]


@pytest.mark.parametrize(("changed", "why"), SILENT)
def test_what_is_allowed_is_silent(lint_keys: LintKeys, changed: Keys, why: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [], why


@pytest.mark.parametrize(("changed", "cause", "key"), WITH_ZERO3)
def test_zero3_refuses(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}, more={"ds.json": ZERO3}) == [(cause, key)]


@pytest.mark.parametrize(("changed", "cause", "key"), DISTRIBUTED)
def test_several_gpus_refuse(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}, more={"launch.sh": ON_TWO}) == [(cause, key)]
