"""Rules of settings without which the run is the same: they are told, and stop no launch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 "
    "--num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --lr 1e-4 "
    "--micro-batch-size 4 --global-batch-size 64 --train-iters 1000 --bf16 {more}\n"
)


@pytest.mark.parametrize(
    ("more", "severity"),
    [
        ("--sequence-parallel", ["info"]),
        ("--sequence-parallel --tensor-model-parallel-size 2", []),
        ("--save-interval 0 --save out", ["warning"]),  # of a check whose entry only tells
    ],
)
def test_what_changes_nothing_is_only_told(lint_text: Lint, more: str, severity: list[str]) -> None:
    found = lint_text(MEGATRON.format(more=more), "run.sh")
    names = ("option-without-effect", "checkpoints-never-saved")
    assert [f.severity for f in found if f.name in names] == severity
