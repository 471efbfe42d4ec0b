"""Rules of LLaMA-Factory: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
NO_EFFECT = "option-without-effect"
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
    ({"load_best_model_at_end": "true", "stage": "rm"}, EXCLUDE, "load_best_model_at_end"),
    ({"use_galore": "true", "deepspeed": "ds.json"}, EXCLUDE, "use_galore"),
    ({"use_apollo": "true", "deepspeed": "ds.json"}, EXCLUDE, "use_apollo"),
    ({"eval_strategy": "steps"}, NEEDS, "eval_strategy"),
    ({"do_eval": "true"}, NEEDS, "do_eval"),
    ({"gradient_checkpointing": "false"}, NO_EFFECT, "gradient_checkpointing"),
    ({"lora_rank": "8", "finetuning_type": "full"}, NO_EFFECT, "lora_rank"),
    ({"lora_target": "all", "finetuning_type": "freeze"}, NO_EFFECT, "lora_target"),
    ({"packing": "true"}, OTHERWISE, "packing"),
    ({"packing": "true", "neat_packing": "false"}, OTHERWISE, "packing"),
]
SILENT: list[tuple[Keys, str]] = [
    (
        {"streaming": "true", "max_steps": "100", "num_train_epochs": None},
        "the length of the stream is given",
    ),
    ({"eval_strategy": "steps", "val_size": "0.1"}, "there is data to evaluate on"),
    ({"packing": "true", "neat_packing": "true"}, "samples are kept apart"),
    ({"quantization_bit": "4"}, "LoRA on a quantised model"),
]

ZERO3 = '{"zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true}}'
WITH_ZERO3: Rows = [
    ({"deepspeed": "ds.json", "bf16": None, "pure_bf16": "true"}, EXCLUDE, "pure_bf16"),
    ({"deepspeed": "ds.json", "predict_with_generate": "true"}, EXCLUDE, "predict_with_generate"),
    ({"deepspeed": "ds.json", "use_unsloth": "true"}, EXCLUDE, "use_unsloth"),
]
ON_TWO = "torchrun --nproc_per_node 2 src/train.py config.yaml\n"
DISTRIBUTED: Rows = [
    ({"use_galore": "true", "galore_layerwise": "true"}, EXCLUDE, "galore_layerwise"),
    ({"use_apollo": "true", "apollo_layerwise": "true"}, EXCLUDE, "apollo_layerwise"),
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
