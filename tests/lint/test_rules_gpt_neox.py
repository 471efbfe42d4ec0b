"""Rules of GPT-NeoX: a clean configuration is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.index.knowledge import load
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
BASE = """\
pipe_parallel_size: 1
model_parallel_size: 1
num_layers: 12
hidden_size: 768
num_attention_heads: 12
seq_length: 1024
max_position_embeddings: 1024
train_micro_batch_size_per_gpu: 4
train_iters: 1000
lr_decay_iters: 1000
lr_decay_style: cosine
optimizer: {type: Adam, params: {lr: 0.0003}}
min_lr: 0.00003
"""
SPLIT = "train_data_paths: [a]\nvalid_data_paths: [b]\ntest_data_paths: [c]\n"
FP16_LOSS = "precision: bfloat16\nfp16_lm_cross_entropy: "
LABELS = "train_label_data_paths: [l]\n"
EXPERTS = "moe_num_experts: 8\nzero_optimization: {stage: "
PIPED = "pipe_parallel_size: 2\n"  # in place of the line of the base
STAGES = "zero_optimization: {stage: 2}\n"
# name of the rule, what a clean and a broken text have after the base, the line where it fires
CASES = {
    "experts-with-zero-2": (EXPERTS + "1}\n", EXPERTS + "2}\n", 14),
    "zero-2-with-pipeline": (STAGES, PIPED + STAGES, 14),
    "save-without-factor": ("save: out\ncheckpoint_factor: 100\n", "save: out\n", 14),
    "warmup-as-steps": ("warmup: 0.01\n", "warmup: 100\n", 14),
    "fp16-loss-without-fp16": (FP16_LOSS + "false\n", FP16_LOSS + "true\n", 15),
    "two-data-paths": (SPLIT, "data_path: d\n" + SPLIT, 14),
    "train-data-without-valid": (SPLIT, SPLIT.replace("valid_data_paths: [b]\n", ""), 14),
    "train-data-without-test": (SPLIT, SPLIT.replace("test_data_paths: [c]\n", ""), 14),
    "labels-without-train-data": (LABELS + SPLIT, LABELS + "data_path: d\n", 14),
}
RULES = {r.name: r for r in load().frameworks["gpt-neox"].rules}


def faults(found: tuple[LintFinding, ...]) -> list[tuple[str, int, str]]:
    return [(f.name, f.line, f.message.en) for f in found if f.severity != "info"]


def test_every_rule_is_tried() -> None:
    assert set(CASES) == set(RULES)


@pytest.mark.parametrize("name", CASES)
def test_each_mutation_fires(lint_text: Lint, name: str) -> None:
    clean, broken, line = CASES[name]
    assert faults(lint_text(BASE + clean, "config.yml")) == []
    rule = RULES[name]
    base = BASE.replace("pipe_parallel_size: 1\n", PIPED) if PIPED in broken else BASE
    found = lint_text(base + broken.replace(PIPED, ""), "config.yml")
    assert faults(found) == [(rule.cause, line, rule.say.en)]


def test_a_null_is_not_set(lint_text: Lint) -> None:
    assert faults(lint_text(BASE + "save: null\n", "config.yml")) == []
