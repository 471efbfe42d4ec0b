"""Rules of torchtune: clean settings are silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from medic.lint.found import LintFinding

Keys = Mapping[str, str | None]
Rows = list[tuple[Keys, str, str]]
Lint = Callable[..., tuple[LintFinding, ...]]
LintKeys = Callable[..., list[tuple[str, str]]]

EXCLUDE = "options-exclude-each-other"
NEEDS = "option-needs-another-option"
VALUE = "flag-value-not-accepted"
CLEAN: Keys = {
    "batch_size": "2",
    "gradient_accumulation_steps": "1",
    "epochs": "1",
    "dtype": "bf16",
    "enable_activation_checkpointing": "true",
    "tokenizer._component_": "torchtune.models.llama3.llama3_tokenizer",
    "tokenizer.max_seq_len": "2048",
    "dataset._component_": "torchtune.datasets.alpaca_dataset",
    "dataset.packed": "true",
    "optimizer._component_": "torch.optim.AdamW",
    "optimizer.lr": "2e-5",
    "lr_scheduler.num_warmup_steps": "10",
}
MUTATIONS: Rows = [
    ({"max_grad_norm": "1.0"}, "misspelt-config-key", "max_grad_norm"),
    (
        {"optimizer_in_bwd": "true", "gradient_accumulation_steps": "8"},
        EXCLUDE,
        "gradient_accumulation_steps",
    ),
    ({"optimizer_in_bwd": "true", "clip_grad_norm": "1.0"}, EXCLUDE, "clip_grad_norm"),
    ({"tensor_parallel_dim": "2"}, NEEDS, "tensor_parallel_dim"),
    ({"tensor_parallel_dim": "2", "tensor_parallel_plan": "null"}, NEEDS, "tensor_parallel_dim"),
    ({"dtype": "bfloat16"}, VALUE, "dtype"),
    ({"dtype": "BF16"}, VALUE, "dtype"),
    ({"dtype": "half_precision"}, VALUE, "dtype"),
    ({"epochs": "-1"}, VALUE, "epochs"),
    (
        {"enable_activation_offloading": "true", "enable_activation_checkpointing": "false"},
        NEEDS,
        "enable_activation_offloading",
    ),
    (
        {"enable_activation_offloading": "true", "enable_activation_checkpointing": None},
        NEEDS,
        "enable_activation_offloading",
    ),
    ({"tokenizer.max_seq_len": "null"}, NEEDS, "dataset.packed"),
    ({"run_val_every_n_steps": "100"}, NEEDS, "run_val_every_n_steps"),
]
SILENT: list[tuple[Keys, str]] = [
    ({"optimizer_in_bwd": "true", "clip_grad_norm": "null"}, "neither accumulation nor clipping"),
    (
        {
            "tensor_parallel_dim": "2",
            "tensor_parallel_plan._component_": "torchtune.models.llama3.base_llama_tp_plan",
        },
        "with a plan",
    ),
    ({"dataset.packed": "false", "tokenizer.max_seq_len": "null"}, "rows are not packed"),
]


def test_the_clean_settings_are_silent(lint_keys: LintKeys) -> None:
    assert lint_keys(CLEAN) == []


@pytest.mark.parametrize(("changed", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_keys: LintKeys, changed: Keys, cause: str, key: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [(cause, key)]


@pytest.mark.parametrize(("changed", "why"), SILENT)
def test_what_is_allowed_is_silent(lint_keys: LintKeys, changed: Keys, why: str) -> None:
    assert lint_keys({**CLEAN, **changed}) == [], why


def test_fp16_is_refused(lint_keys: LintKeys) -> None:
    assert (VALUE, "dtype") in lint_keys({**CLEAN, "dtype": "fp16"})


TUNE = (
    "tune run --nproc_per_node 2 lora_finetune_distributed --config {config} \\\n"
    "  batch_size=4 epochs=1 {more}\n"
)


@pytest.mark.parametrize(
    ("config", "more", "told"),
    [
        ("llama3_2/1B_lora", "dataset.packed=True", True),
        ("llama3_2/1B_lora", "dataset.packed=True tokenizer.max_seq_len=4096", False),
        ("llama3_2/1B_lora", 'dataset.packed=True tokenizer.max_seq_len="$LENGTH"', False),
        ("llama3_2/1B_lora", "dataset.packed=False", False),
        ("mine/1B.yaml", "dataset.packed=True", False),  # it may set the length
    ],
)
def test_packing_needs_a_length(lint_text: Lint, config: str, more: str, told: bool) -> None:
    found = lint_text(TUNE.format(config=config, more=more), "run.sh")
    assert [f.line for f in found if f.name == "option-needs-another-option"] == [2] * told
