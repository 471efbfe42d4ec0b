"""Rules of nanoGPT: a clean command is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

CLEAN = (
    "torchrun --standalone --nproc_per_node=4 train.py \\\n"
    "  --batch_size=12 --block_size=1024 --gradient_accumulation_steps=40 \\\n"
    "  --n_layer=12 --n_head=12 --n_embd=768 --dtype=bfloat16 \\\n"
    "  --learning_rate=6e-4 --min_lr=6e-5 --decay_lr=True \\\n"
    "  --warmup_iters=2000 --max_iters=100000 --lr_decay_iters=100000\n"
)
MUTATIONS = [
    ("decay_lr=True", "decay_lr=False", "option-without-effect", 4),
    ("dtype=bfloat16", "dtype=bf16", "flag-value-not-accepted", 3),
    ("accumulation_steps=40", "accumulation_steps=42", "batch-not-divisible", 2),
    ("lr_decay_iters=100000", "lr_decay_iters=600000", "decay-ends-after-run", 5),
]


def test_the_clean_command_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN, "launch.sh") == ()


@pytest.mark.parametrize(("old", "new", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, old: str, new: str, cause: str, line: int) -> None:
    assert old in CLEAN
    found = lint_text(CLEAN.replace(old, new), "launch.sh")
    assert [(f.name, f.line) for f in found] == [(cause, line)]
