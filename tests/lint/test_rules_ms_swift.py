"""Rules of ms-swift: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
UNKNOWN = "misspelt-config-key"
VALUE = "flag-value-not-accepted"
CLEAN: Keys = {
    "model": "my/model",
    "dataset": "mine",
    "train_type": "lora",
    "torch_dtype": "bfloat16",
    "per_device_train_batch_size": "2",
    "gradient_accumulation_steps": "4",
    "learning_rate": "0.0001",
    "num_train_epochs": "1",
    "warmup_steps": "10",
    "attn_impl": "flash_attn",
}
MUTATIONS: Rows = [
    ({"model": None}, NEEDS, "dataset"),
    ({"lora_target": "q_proj"}, UNKNOWN, "lora_target"),
    ({"freeze_vision_tower": "true"}, UNKNOWN, "freeze_vision_tower"),
    ({"freeze_multi_modal_projector": "true"}, UNKNOWN, "freeze_multi_modal_projector"),
    ({"zero_stage": "3"}, UNKNOWN, "zero_stage"),
    ({"rlhf_type": "grpo", "num_generations": "1"}, VALUE, "num_generations"),
    ({"rlhf_type": "gkd", "lmbda": "2"}, VALUE, "lmbda"),
    ({"rlhf_type": "gkd", "beta": "-0.5"}, VALUE, "beta"),
    ({"save_strategy": '"no"', "save_steps": "100"}, "option-without-effect", "save_steps"),
    ({"dataset": None, "output_dir": "out"}, NEEDS, "model"),
    ({"quant_method": "bnb"}, NEEDS, "quant_method"),
    ({"lazy_tokenize": "true", "packing": "true"}, EXCLUDE, "lazy_tokenize"),
    (
        {
            "lazy_tokenize": "true",
            "streaming": "true",
            "max_steps": "100",
            "num_train_epochs": None,
        },
        EXCLUDE,
        "lazy_tokenize",
    ),
    ({"packing": "true", "attn_impl": None}, NEEDS, "packing"),
    ({"packing": "true", "attn_impl": "sdpa"}, NEEDS, "packing"),
    ({"padding_free": "true", "attn_impl": None}, NEEDS, "padding_free"),
    ({"padding_free": "true", "attn_impl": "eager"}, NEEDS, "padding_free"),
    ({"warmup_ratio": "0.05"}, EXCLUDE, "warmup_steps"),
    ({"warmup_ratio": "100", "warmup_steps": None}, VALUE, "warmup_ratio"),
    ({"fsdp": "fsdp2", "deepspeed": "zero2"}, EXCLUDE, "fsdp"),
    ({"streaming": "true"}, NEEDS, "streaming"),
    ({"streaming": "true", "max_epochs": "1", "micro_batch_size": "1"}, NEEDS, "streaming"),
]
SILENT: list[tuple[Keys, str]] = [
    (
        {"streaming": "true", "max_steps": "100", "num_train_epochs": None},
        "the length of the stream is given",
    ),
    ({"packing": "true"}, "with flash attention"),
    ({"rlhf_type": "grpo", "num_generations": "2"}, "a pair of answers"),
    ({"rlhf_type": "gkd", "lmbda": "1", "beta": "0"}, "the ends of the range"),
    ({"rlhf_type": "dpo", "beta": "2"}, "the beta of another method"),
    ({"save_strategy": "steps", "save_steps": "100"}, "saved by steps"),
    ({"warmup_ratio": "0.05", "warmup_steps": None}, "one warmup"),
]


def test_the_clean_settings_are_silent(lint_keys: LintKeys) -> None:
    assert lint_keys(CLEAN) == []


@pytest.mark.parametrize(("changed", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [(cause, key)]


@pytest.mark.parametrize(("changed", "why"), SILENT)
def test_what_is_allowed_is_silent(lint_keys: LintKeys, changed: Keys, why: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [], why
