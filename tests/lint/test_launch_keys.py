"""Configuration keys that their framework almost knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
AXOLOTL = (
    "base_model: org/model\n"
    "datasets:\n"
    "  - path: some/data\n"
    "    typ: alpaca\n"
    "sequence_len: 2048\n"
    "micro_batch_size: 2\n"
    "gradient_accumulation_steps: 4\n"
    "num_epochs: 1\n"
    "learning_rate: 0.0002\n"
    "lr_scheduler: cosine\n"
    "warmup_ratio: 0.05\n"
    "bf16: true\n"
    "my_own_note: kept\n"
)
ENGINE = (
    "{\n"
    '  "train_micro_batch_size_per_gpu": 2,\n'
    '  "gradient_accumulation_steps": 4,\n'
    '  "zero_optimization": {\n'
    '    "stage": 2,\n'
    '    "overlap_comm": true\n'
    "  },\n"
    '  "bf16": {"enabled": true}\n'
    "}\n"
)
FACTORY = (
    "model_name_or_path: org/model\n"
    "stage: sft\n"
    "finetuning_type: lora\n"
    "dataset: alpaca_en\n"
    "template: llama3\n"
    "cutoff_len: 2048\n"
    "per_device_train_batch_size: 1\n"
    "gradient_accumulation_steps: 8\n"
    "learning_rate: 0.0001\n"
    "num_train_epochs: 3.0\n"
    "warmup_ratio: 0.1\n"
    "output_dir: out\n"
)
MUTATIONS = [
    (AXOLOTL, "config.yaml", "datasets:", "datsets:", 2, "datasets"),
    (AXOLOTL, "config.yaml", "sequence_len:", "sequnce_len:", 5, "sequence_len"),
    (AXOLOTL, "config.yaml", "micro_batch_size:", "per_device_train_batch_size:", 6, "micro_batch"),
    (AXOLOTL, "config.yaml", "lr_scheduler:", "lr_schedular:", 10, "lr_scheduler"),
    (ENGINE, "ds_config.json", "overlap_comm", "overlap_com", 6, "overlap_comm"),
    (ENGINE, "ds_config.json", "zero_optimization", "zero_optimisation", 4, "zero_optimization"),
    (FACTORY, "config.yaml", "learning_rate:", "learing_rate:", 9, "learning_rate"),
    (FACTORY, "config.yaml", "num_train_epochs:", "num_train_epoch:", 10, "num_train_epochs"),
    (FACTORY, "config.yaml", "finetuning_type:", "finetunning_type:", 3, "finetuning_type"),
]


@pytest.mark.parametrize(
    ("text", "name"),
    [(AXOLOTL, "config.yaml"), (ENGINE, "ds_config.json"), (FACTORY, "config.yaml")],
)
def test_the_clean_files_have_no_such_key(lint_text: Lint, text: str, name: str) -> None:
    assert "misspelt-config-key" not in [f.name for f in lint_text(text, name)]


@pytest.mark.parametrize(("text", "name", "old", "new", "line", "meant"), MUTATIONS)
def test_a_misspelt_key_is_told(
    lint_text: Lint, text: str, name: str, old: str, new: str, line: int, meant: str
) -> None:
    assert old in text
    found = [f for f in lint_text(text.replace(old, new), name) if f.name == "misspelt-config-key"]
    assert [f.line for f in found] == [line]
    assert meant in found[0].message.en
