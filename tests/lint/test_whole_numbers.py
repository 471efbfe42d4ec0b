"""Whole numbers behind flags: argparse takes digits alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
    "--num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 "
    "--micro-batch-size 2 --lr 1e-4 {more}\n"
)
HF = (
    "python run_clm.py --model_name_or_path gpt2 --per_device_train_batch_size 4 "
    "--output_dir out {more}\n"
)
RLHF = (
    "deepspeed --module openrlhf.cli.train_sft --pretrain m --dataset d --micro_train_batch_size 2 "
    "--max_len 2048 {more}\n"
)
SWIFT = (
    "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen2.5-7B-Instruct --dataset x --save out "
    "--tensor_model_parallel_size 2 --micro_batch_size 1 --global_batch_size 16 {more}\n"
)
IMPOSSIBLE = "impossible-value"


@pytest.mark.parametrize(
    ("script", "more", "value"),
    [
        (MEGATRON, "--train-iters 1e5", 100000),
        (MEGATRON, "--train-iters 5000 --save-interval 1e3", 1000),
        (MEGATRON, "--train-iters 5000 --lr-warmup-iters 200.0", 200),
        (HF, "--max_steps 5e3", 5000),
        (HF, "--max_steps=5e3", 5000),
        (HF, "--gradient_accumulation_steps 4.0", 4),
        (RLHF, "--train_batch_size 1.28e2", 128),
    ],
)
def test_a_whole_number_is_written_in_digits(
    lint_text: Lint, script: str, more: str, value: int
) -> None:
    found = [f for f in lint_text(script.format(more=more), "run.sh") if f.name == IMPOSSIBLE]
    assert [f.severity for f in found] == ["error"]
    fix = found[0].fix
    assert fix is not None
    assert fix.safe
    assert f" {value}\n" in fix.diff or f"={value}\n" in fix.diff


@pytest.mark.parametrize(
    ("script", "more"),
    [
        (MEGATRON, "--train-iters 100000 --lr-warmup-fraction 1e-2 --clip-grad 1.0"),
        (HF, "--max_steps 5000 --save_strategy steps --save_steps 5e2 --num_train_epochs 3.0"),
        (HF, "--max_steps 5000 --warmup_steps 1e2"),  # a float from transformers 5 on
        (RLHF, "--train_batch_size 128 --learning_rate 5e-6"),
        (SWIFT, "--train_iters 1000 --save_steps 5e2"),
        # a parser of one's own, which nobody knows
        ("python train.py --max-iters 1e5 --lr 1e-4 {more}\n", "--epochs 1e1"),
    ],
)
def test_a_number_that_may_be_a_part_is_written_as_one_likes(
    lint_text: Lint, script: str, more: str
) -> None:
    assert IMPOSSIBLE not in [f.name for f in lint_text(script.format(more=more), "run.sh")]


@pytest.mark.parametrize("word", ["twenty", "million"])
def test_a_number_in_words_is_none(lint_text: Lint, word: str) -> None:
    text = f"trainer:\n  accelerator: gpu\n  devices: 8\n  max_steps: {word}\n"
    assert (IMPOSSIBLE, 4) in [(f.name, f.line) for f in lint_text(text)]
