"""Flags in lists that no launch is seen to be given, and slips in those of an unknown parser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "misspelt-flag"
# The command is a text that a batch job runs; the lists are Megatron-LM's by their number.
JOB = (
    "#!/bin/bash\n"
    "PRETRAIN_ARGS=(\n"
    "    --tensor-model-parallel-size 1\n"
    "    --sequence-parallel\n"
    "    --micro-batch-size 4\n"
    "    --global-batch-size 256\n"
    "    --train-samples 585937500\n"
    "    --seq-length 4096\n"
    "    --num-layers 61\n"
    "    --hidden-size 7168\n"
    "    --num-attention-heads 128\n"
    "    --max-position-embeddings 4096\n"
    "    --lr-decay-style cosine  # as in the paper\n"
    "    --clip-grad 1.0\n"
    "    --weight-decay 0.1\n"
    "    --adam-beta1 0.9\n"
    "    --moe-layer-freq [0]*3+[1]*58\n"
    "    --bf16\n"
    ")\n"
    'PRETRAIN_ARGS=("${PRETRAIN_ARGS[@]}" --wandb-project mine --log-throughput)\n'
    'CMD="cd /job; python /job/megatron/pretrain_gpt.py ${PRETRAIN_ARGS[@]}"\n'
    "sbatch <<EOF\n"
    "#!/bin/bash\n"
    'srun bash -c "${CMD}"\n'
    "EOF\n"
)
SLIPS = [
    ("--moe-layer-freq", "--moe-ayer-freq", 17),
    ("--adam-beta1", "--adam-beat1", 16),
    ("--wandb-project", "--wandb-projects", 20),
    ("--clip-grad", "--clip-grads", 14),
]
OWN = (
    "#!/bin/bash\n"
    "CAPTIONS=text\n"
    "CAPTION_COLUMN=caption\n"
    "accelerate launch train_video.py --caption_column $CAPTION_COLUMN \\\n"
    "  --learning_rate 1e-4 --batch_size 8 --my_factor 2 --captions $CAPTIONS\n"
)
COMMON = [
    ("--learning_rate", "--learning_rte", "learning_rate"),
    ("--learning_rate", "--learning_rates", "learning_rate"),
    ("--batch_size", "--bacth_size", "batch_size"),
    ("--caption_column", "--caption_colunm", "caption_column"),
]
SILENT = [
    ("--learning_rate 1e-4", "--learning_rates 1e-4 1e-5"),
    ("--batch_size 8", "--patch_size 8"),
    ("--captions $CAPTIONS", "--normalise_rewards $CAPTIONS"),
    ("--my_factor 2", "--model_names first"),
]


def test_right_lists_are_silent(lint_text: Lint) -> None:
    assert [f for f in lint_text(JOB, "job.sh") if f.name == NAME] == []


@pytest.mark.parametrize(("old", "new", "line"), SLIPS)
def test_a_slip_in_a_list_is_told(lint_text: Lint, old: str, new: str, line: int) -> None:
    assert old in JOB
    found = lint_text(JOB.replace(old, new, 1), "job.sh")
    assert [(f.name, f.line) for f in found if f.name == NAME] == [(NAME, line)]


def test_a_list_of_another_program_is_none_of_it(lint_text: Lint) -> None:
    other = "MOUNTS=(\n  --volume /a:/b\n  --gpu all\n  --ipcs host\n)\n"
    found = lint_text(JOB.replace("sbatch", f"{other}sbatch"), "job.sh")
    assert [f for f in found if f.name == NAME] == []


@pytest.mark.parametrize(("old", "new", "meant"), COMMON)
def test_a_slip_of_a_common_name_is_told(lint_text: Lint, old: str, new: str, meant: str) -> None:
    assert old in OWN
    (found,) = (f for f in lint_text(OWN.replace(old, new, 1), "run.sh") if f.name == NAME)
    assert f"--{meant} is meant" in found.message.en


@pytest.mark.parametrize(("old", "new"), SILENT)
def test_a_name_of_its_own_is_none(lint_text: Lint, old: str, new: str) -> None:
    assert old in OWN
    assert [f for f in lint_text(OWN.replace(old, new, 1), "run.sh") if f.name == NAME] == []
