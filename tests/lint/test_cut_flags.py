"""Flags cut in the middle of a word, for a parser that takes no beginning for the whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MEGATRON = (
    "torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
    "--num-attention-heads 16 --group-query-attention --num-query-groups 8 --seq-length 2048 "
    "--max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 64 --train-iters 1000 "
    "--lr 1e-4 --bf16 --save ck --save-interval 100 --lr-warmup-iters 10 --min-lr 1e-5\n"
)


@pytest.mark.parametrize(
    ("whole", "cut"),
    [
        ("--num-query-groups", "--num-query-group"),
        ("--save-interval", "--save-interv"),
        ("--lr-warmup-iters", "--lr-warmup-iter"),
    ],
)
def test_megatron_takes_no_beginning_for_the_whole(lint_text: Lint, whole: str, cut: str) -> None:
    found = lint_text(MEGATRON.replace(f"{whole} ", f"{cut} "), "run.sh")
    named = [(one.name, one.severity) for one in found if f"no {cut};" in one.message.en]
    assert named == [("misspelt-flag", "error")]
    assert not any(one.name == "argument-deprecated" for one in found)


def test_whole_names_and_a_word_of_ones_own_are_quiet(lint_text: Lint) -> None:
    for text in (MEGATRON, MEGATRON.replace("--min-lr 1e-5", "--expert-model x")):
        found = lint_text(text, "train.sh")
        named = [one for one in found if one.name == "argument-deprecated"]
        assert all(one.severity == "info" for one in named)  # a fork may have a word of its own
    assert not any(one.name == "argument-deprecated" for one in lint_text(MEGATRON, "train.sh"))
    assert not any(one.name == "misspelt-flag" for one in lint_text(MEGATRON, "run.sh"))
