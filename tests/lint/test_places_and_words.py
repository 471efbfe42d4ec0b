"""Where a finding points, and how numbers and lines are named in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
TUNING = (
    "model_name_or_path: base\n"
    "stage: sft\n"
    "finetuning_type: lora\n"
    "template: llama3\n"
    "dataset: mine\n"
    "cutoff_len: 2048\n"
    "output_dir: out\n"
    "eval_strategy: steps\n"
    "eval_steps: 500\n"
    "val_size: 0.1\n"
)
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n"
    "  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 \\\n"
    "  --num-layers 12 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 \\\n"
    "  --micro-batch-size 4 --global-batch-size 32 --lr 1e-4 \\\n"
    "  --train-iters 500000 --lr-decay-iters 500000 --bf16\n"
)


def test_a_renamed_argument_is_told_of_a_framework_that_takes_them_all(lint_text: Lint) -> None:
    assert lint_text(TUNING) == ()
    (found,) = lint_text(TUNING.replace("eval_strategy", "evaluation_strategy"))
    assert found.name == "argument-renamed-in-library"
    assert (found.line, found.column, found.end_column) == (8, 1, 20)


@pytest.mark.parametrize("flag", ["--evaluation_strategy steps", "--evaluation_strategy=steps"])
def test_a_renamed_flag_is_underlined_itself(lint_text: Lint, flag: str) -> None:
    text = f"python run.py --per_device_train_batch_size 4 {flag} --output_dir x\n"
    (found,) = lint_text(text, "run.sh")
    assert found.column == text.index("--evaluation") + 1
    assert found.end_column == found.column + len("--evaluation_strategy")


def test_a_product_is_named_as_one(lint_text: Lint) -> None:
    found = lint_text(MEGATRON.replace("parallel-size 4", "parallel-size 6"), "run.sh")
    assert any(
        "--tensor-model-parallel-size x --pipeline-model-parallel-size = 12" in f.message.en
        for f in found
    )


def test_a_chosen_decay_is_never_changed_unasked(lint_text: Lint) -> None:
    assert lint_text(MEGATRON, "run.sh") == ()
    text = MEGATRON.replace("lr-decay-iters 500000", "lr-decay-iters 320000")
    (found,) = lint_text(text, "run.sh")
    assert found.name == "decay-ends-before-run"
    assert found.fix is None or not found.fix.safe


def test_a_comment_behind_the_backslash_is_called_one(lint_text: Lint) -> None:
    (found,) = lint_text(MEGATRON.replace("1e-4 \\\n", "1e-4 \\ # peak\n"), "run.sh")
    assert (found.name, found.line) == ("command-cut-short", 4)
    assert "a comment follows the backslash" in found.message.en
    assert "lacks" not in found.message.en


def test_a_cut_word_is_told_without_its_quotes(lint_text: Lint) -> None:
    (found,) = lint_text('torchrun train.py \\ \n  "--bf16"\n', "run.sh")
    assert " --bf16 is cut off" in found.message.en


def test_a_rate_of_a_model_of_unknown_size(lint_text: Lint) -> None:
    text = "python train.py --lr 5.0 --batch_size 8 --warmup_steps 10\n"
    found = [f for f in lint_text(text, "run.sh") if f.name == "learning-rate-too-high"]
    assert found
    assert "a model of a size that is not stated" in found[0].message.en
    assert "参数 参数" not in found[0].message.zh
    texts = [str(found[0].fix.notes) + found[0].fix.text.en for _ in (1,) if found[0].fix]
    assert all("for this size" not in text for text in texts)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lr: 0.1\nbatch_size: 128\nnum_classes: 10\nmilestones: [6, 9]\nepochs: 2\n", False),
        ("lr: 10\nbatch_size: 128\nnum_classes: 10\nepochs: 2\n", True),
        ("lr: 0.1\nbatch_size: 128\nblock_size: 128\nepochs: 2\n", True),
        ("lr: 0.004\nbatch_size: 64\nepochs: 6\nlora:\n  r: 16\n  alpha: 32\n", False),
        ("lr: 0.02\nbatch_size: 64\nepochs: 6\nlora:\n  r: 16\n  alpha: 32\n", True),
    ],
)
def test_a_rate_where_nothing_says_what_is_trained(lint_text: Lint, text: str, told: bool) -> None:
    assert ("learning-rate-too-high" in {f.name for f in lint_text(text)}) == told
