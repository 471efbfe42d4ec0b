"""A fix that takes a setting for granted waits until nothing refuses that setting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
INDEX = load()


@pytest.fixture
def found_in(tmp_path: Path) -> Lint:
    """Not ``lint_text``, which asks for the fix of every rule that has one."""

    def run(text: str, name: str) -> tuple[LintFinding, ...]:
        (tmp_path / name).write_text(text)
        return lint(collect([str(tmp_path / name)]), INDEX).findings

    return run


MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
    "  --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 --lr 1e-4 \\\n"
    "  --micro-batch-size 2 --global-batch-size 64 --untie-embeddings-and-output-weights \\\n"
    "  {} --use-torch-fsdp2\n"
)


@pytest.mark.parametrize(
    ("flags", "fixed"), [("--pipeline-model-parallel-size 2", False), ("--bf16", True)]
)
def test_what_does_not_go_together_is_settled_first(
    found_in: Lint, flags: str, fixed: bool
) -> None:
    found = found_in(MEGATRON.format(flags), "run.sh")
    (one,) = (f for f in found if "no_gradient_accumulation_fusion" in f.message.en)
    assert (one.fix is not None) is fixed
    assert any("settle this first" in text.en for text in one.by_hand) is not fixed


def test_a_fix_takes_out_what_its_setting_excludes(found_in: Lint) -> None:
    text = "base_model: a/b\nload_in_8bit: true\nadapter: qlora\nlora_r: 8\nsequence_len: 2048\nmicro_batch_size: 2\n"
    text += "gradient_accumulation_steps: 4\nnum_epochs: 1\nlearning_rate: 0.0002\ndatasets:\n  - path: a/c\n    type: alpaca\n"
    found = found_in(text, "a.yml")
    (one,) = (f for f in found if "needs load_in_4bit" in f.message.en)
    assert one.fix is not None
    assert "-load_in_8bit: true" in one.fix.diff
    assert "+load_in_4bit: true" in one.fix.diff


def test_a_flag_goes_where_the_one_stands_that_it_belongs_to(found_in: Lint) -> None:
    """One variable is the value of an option of the launcher and of one of the program."""
    text = (
        "GPUS=8\nDIST=(\n    --nproc_per_node $GPUS\n    --nnodes 1\n)\nMODEL=(\n    --num-layers 32\n"
        "    --hidden-size 4096\n    --num-attention-heads 16\n    --seq-length 4096\n"
        "    --max-position-embeddings 4096\n    --num-experts 16\n"
        "    --micro-batch-size 1\n    --global-batch-size 256\n    --lr 1e-4\n    --bf16\n"
        "    --tensor-model-parallel-size $GPUS\n    --expert-model-parallel-size $GPUS\n)\n"
        "torchrun ${DIST[@]} pretrain_gpt.py ${MODEL[@]}\n"
    )
    (one,) = (f for f in found_in(text, "run.sh") if "need sequence_parallel" in f.message.en)
    assert one.fix is not None
    lines = one.fix.diff.split("\n")
    assert "+    --sequence-parallel" in lines
    assert "     --nproc_per_node $GPUS" not in lines
