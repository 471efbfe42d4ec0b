"""A LoRA scale that two files state otherwise, and sizes that no run has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
TUNE = (
    "model_name_or_path: a/b\n"
    "stage: sft\n"
    "do_train: true\n"
    "finetuning_type: lora\n"
    "lora_rank: 8\n"
    "lora_alpha: 16\n"
    "dataset: identity\n"
    "template: llama3\n"
    "cutoff_len: 1024\n"
    "output_dir: out\n"
    "per_device_train_batch_size: 1\n"
    "gradient_accumulation_steps: 2\n"
    "learning_rate: 1.0e-4\n"
)


@pytest.mark.parametrize(
    ("other", "line"), [("lora_alpha: 512", 6), ("lora_alpha: 16", 0), ("lora_alpha: 16.0", 0)]
)
def test_an_alpha_in_two_files(lint_text: Lint, other: str, line: int) -> None:
    more = {"second.yaml": TUNE.replace("lora_alpha: 16", other)}
    found = lint_text(TUNE, "first.yaml", more)
    assert [one.line for one in found if one.name == "conflicting-values"] == [line] * bool(line)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("lora_rank: 8", "lora_rank: 800000", 5),
        ("cutoff_len: 1024", "cutoff_len: 10240000000", 9),
        ("batch_size: 1", "batch_size: 10000000", 11),
        ("steps: 2", "steps: 20000000", 12),
    ],
)
def test_zeros_too_many(lint_text: Lint, old: str, new: str, line: int) -> None:
    found = lint_text(TUNE.replace(old, new))
    assert [one.line for one in found if one.name == "impossible-value"] == [line]
