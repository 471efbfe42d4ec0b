"""Rules of axolotl: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
UNKNOWN = "misspelt-config-key"
OTHERWISE = "option-reads-otherwise"
WITHOUT = "option-without-effect"
VALUE = "flag-value-not-accepted"
CLEAN: Keys = {
    "base_model": "my/model",
    "sequence_len": "2048",
    "micro_batch_size": "2",
    "gradient_accumulation_steps": "4",
    "gradient_checkpointing": "true",
    "attn_implementation": "flash_attention_2",
    "optimizer": "adamw_torch_fused",
    "num_epochs": "1",
    "learning_rate": "0.0001",
    "lr_scheduler": "cosine",
    "warmup_steps": "10",
}
WHOLE: Keys = {"datasets": "[{path: some/set, type: alpaca}]", "output_dir": "out"}
MUTATIONS: Rows = [
    ({"base_model": None}, NEEDS, "sequence_len"),
    ({"lora_target": "q_proj"}, UNKNOWN, "lora_target"),
    ({"adapter": "lora", "lora_rank": "16"}, UNKNOWN, "lora_rank"),
    ({**WHOLE, "datasets": None}, NEEDS, "base_model"),
    ({**WHOLE, "learning_rate": None}, NEEDS, "base_model"),
    ({"adapter": "qlora", "load_in_4bit": "true", "load_in_8bit": "true"}, EXCLUDE, "load_in_8bit"),
    ({"adapter": "qlora", "load_in_4bit": "false"}, NEEDS, "load_in_4bit"),
    ({"adapter": "qlora"}, NEEDS, "adapter"),
    ({"adapter": "null", "load_in_4bit": "true"}, NEEDS, "load_in_4bit"),
    ({"load_in_8bit": "true"}, NEEDS, "load_in_8bit"),
    ({"adapter": "lora", "load_in_4bit": "true", "load_in_8bit": "true"}, EXCLUDE, "load_in_4bit"),
    ({"lora_r": "16"}, WITHOUT, "lora_r"),
    ({"base_model": '""'}, NEEDS, "base_model"),
    (
        {"sample_packing": "true", "attn_implementation": None, "flash_attention": "false"},
        OTHERWISE,
        "flash_attention",
    ),
    ({"batch_size": "8"}, EXCLUDE, "batch_size"),
    ({"deepspeed": "ds.json", "fsdp": "[full_shard, auto_wrap]"}, EXCLUDE, "deepspeed"),
    ({"context_parallel_size": "2", "attn_implementation": None}, NEEDS, "context_parallel_size"),
    (
        {"context_parallel_size": "2", "attn_implementation": None, "flash_attention": "false"},
        NEEDS,
        "context_parallel_size",
    ),
    ({"context_parallel_size": "2", "attn_implementation": "sdpa"}, NEEDS, "context_parallel_size"),
    ({"context_parallel_size": "2", "sample_packing": "true"}, EXCLUDE, "micro_batch_size"),
    ({"tensor_parallel_size": "2", "optimizer": "paged_adamw_8bit"}, EXCLUDE, "optimizer"),
    ({"fsdp_version": "2", "optimizer": "adamw_bnb_8bit"}, EXCLUDE, "optimizer"),
    ({"fsdp_config.offload_params": "true", "optimizer": "adamw_8bit"}, EXCLUDE, "optimizer"),
    ({"fsdp_config.fsdp_offload_params": "true", "optimizer": "adamw_8bit"}, EXCLUDE, "optimizer"),
    ({"optimizer": "muon", "deepspeed": "ds.json"}, EXCLUDE, "optimizer"),
    ({"optimizer": "muon", "fsdp_version": "1"}, EXCLUDE, "optimizer"),
    ({"optimizer": "muon", "fsdp": "[full_shard]"}, EXCLUDE, "optimizer"),
    ({"streaming": "true"}, NEEDS, "streaming"),
    ({"streaming": "true", "max_steps": "null"}, NEEDS, "streaming"),
    ({"pretraining_dataset": "[{path: some/text}]"}, NEEDS, "pretraining_dataset"),
    (
        {"streaming": "true", "max_steps": "100", "num_epochs": None, "val_set_size": "0.1"},
        EXCLUDE,
        "val_set_size",
    ),
    (
        {
            "pretraining_dataset": "some/text",
            "max_steps": "100",
            "num_epochs": None,
            "val_set_size": "0.1",
        },
        EXCLUDE,
        "val_set_size",
    ),
    ({"test_datasets": "[{path: some/text}]", "val_set_size": "0.1"}, EXCLUDE, "val_set_size"),
    ({"warmup_ratio": "0.1"}, EXCLUDE, "warmup_steps"),
    ({"save_steps": "100", "save_strategy": "epoch"}, EXCLUDE, "save_steps"),
    ({"save_steps": "100", "saves_per_epoch": "2"}, EXCLUDE, "save_steps"),
    ({"eval_steps": "100", "eval_strategy": "epoch"}, EXCLUDE, "eval_steps"),
    ({"eval_steps": "100", "evals_per_epoch": "2"}, EXCLUDE, "eval_steps"),
    ({"evals_per_epoch": "2", "eval_strategy": "epoch"}, EXCLUDE, "evals_per_epoch"),
    ({"eval_steps": "100", "val_set_size": "0"}, NEEDS, "eval_steps"),
    ({"eval_strategy": "epoch", "val_set_size": "0.0"}, NEEDS, "eval_strategy"),
    (
        {"sample_packing": "true", "rl": "dpo", "learning_rate": "0.000005"},
        EXCLUDE,
        "sample_packing",
    ),
    ({"flash_attention": "true"}, EXCLUDE, "flash_attention"),
    ({"attn_implementation": "fa2"}, VALUE, "attn_implementation"),
    ({"sample_packing": "true", "attn_implementation": None}, OTHERWISE, "sample_packing"),
    ({"sample_packing": "true", "attn_implementation": "eager"}, OTHERWISE, "sample_packing"),
    (
        {"activation_offloading": "true", "gradient_checkpointing": "false"},
        NEEDS,
        "activation_offloading",
    ),
    (
        {"activation_offloading": "legacy", "gradient_checkpointing": None},
        NEEDS,
        "activation_offloading",
    ),
    ({"sample_packing": "true", "sequence_len": None}, OTHERWISE, "sample_packing"),
    ({"max_packed_sequence_len": "2048"}, VALUE, "max_packed_sequence_len"),
    ({"use_dynamic_finetuning": "true"}, NEEDS, "use_dynamic_finetuning"),
    (
        {"cut_cross_entropy": "true", "liger_fused_linear_cross_entropy": "true"},
        EXCLUDE,
        "cut_cross_entropy",
    ),
    ({"rl": "kto", "learning_rate": "0.000005"}, NEEDS, "rl"),
]
SILENT: list[tuple[Keys, str]] = [
    ({**WHOLE, "datasets": None, "plugins": "[my.Plugin]"}, "a plugin may bring the data"),
    (
        {
            "sample_packing": "true",
            "attn_implementation": "eager",
            "use_dsv4_kernels": "true",
        },
        "kernels of its own keep the samples apart",
    ),
    ({"adapter": "null", "lora_r": "16"}, "no adapter is wanted"),
    ({"adapter": "lora", "lora_r": "16", "load_in_8bit": "true"}, "LoRA on a quantised model"),
    (
        {"streaming": "true", "max_steps": "100", "num_epochs": None},
        "the length of the stream is given",
    ),
    (
        {"eval_steps": "100", "val_set_size": "0", "test_datasets": "[{path: some/text}]"},
        "there is data of its own to evaluate on",
    ),
    ({"batch_size": "8", "gradient_accumulation_steps": None}, "two of the three batch sizes"),
    (
        {"sample_packing": "true", "attn_implementation": None, "flash_attention": "true"},
        "the older switch",
    ),
]

ON_TWO = "accelerate launch --num_processes 2 -m axolotl.cli.train config.yaml\n"


def test_the_clean_settings_are_silent(lint_keys: LintKeys) -> None:
    assert lint_keys(CLEAN) == []


@pytest.mark.parametrize(("changed", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [(cause, key)]


@pytest.mark.parametrize(("changed", "why"), SILENT)
def test_what_is_allowed_is_silent(lint_keys: LintKeys, changed: Keys, why: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [], why


def test_ddp_off_on_several_gpus(lint_keys: LintKeys) -> None:
    keys = {**CLEAN, "ddp": "false", "deepspeed": "ds.json"}
    assert lint_keys(keys) == []
    assert lint_keys(keys, more={"launch.sh": ON_TWO}) == [(OTHERWISE, "ddp")]


def test_a_script_of_ones_own_with_its_names(lint_text: Callable[..., object]) -> None:
    run = (
        "torchrun --nproc_per_node 2 finetune.py --base_model my/model --data_path d \\\n"
        "  --micro_batch_size 4 --batch_size 128 --num_epochs 3 --output_dir out\n"
    )
    assert lint_text(run, "run.sh") == ()
