"""Words that end a command too early, or part a value; signs and names that only look right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CUT, VALUE, SLIP = "command-cut-short", "flag-value-not-accepted", "shell-reads-otherwise"
UNSET = "unset-variable-takes-flag"
RUN = "torchrun --nproc_per_node 8 train.py {rest}\n"
VERL = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 {rest}\n"


@pytest.mark.parametrize(
    ("text", "name", "fires"),
    [
        (RUN.format(rest="--split 949;50;1 --lr 1"), CUT, True),
        (RUN.format(rest="--split '949;50;1' --lr 1"), CUT, False),
        (RUN.format(rest="--epochs 3; --lr 1"), CUT, True),
        (RUN.format(rest="--epochs 3 & --lr 1"), CUT, True),
        (RUN.format(rest="--epochs 3 & wait; echo 3"), CUT, False),
        (RUN.format(rest="--epochs 3; $NEXT"), CUT, False),
        ('case "$1" in\n  1) N=2 ;;\n  2) N=3 ;;\nesac\n' + RUN.format(rest="--n $N"), CUT, False),
        ("for ((i=0;i<8;i++)); do\n  " + RUN.format(rest="--seed $i") + "done\n", CUT, False),
        (RUN.format(rest="--split 949, 50, 1"), VALUE, True),
        (RUN.format(rest="--split 949,50,1 --other 3"), VALUE, False),
        (RUN.format(rest="--words 1, two"), VALUE, False),
        (VERL.format(rest="trainer.logger=['wandb', 'console']"), VALUE, True),
        (VERL.format(rest="trainer.logger=['wandb','console']"), VALUE, False),
        (VERL.format(rest="\"trainer.logger=['wandb', 'console']\""), VALUE, False),
        (RUN.format(rest="--lr=1e\u20104"), SLIP, True),
        (RUN.format(rest="--lr 1e\u22124"), SLIP, True),
        (RUN.format(rest="--cutoff_len=512 --name a\u2010b"), SLIP, False),
        ("#SBATCH -p {Partition Name}\n" + RUN.format(rest=""), SLIP, True),
        ("#SBATCH -p {partition}\n" + RUN.format(rest=""), SLIP, False),  # a template's name
        ("MASTER_ADDR=xxx.xxx.xxx.xxx " + RUN.format(rest=""), SLIP, True),
        ("MASTER_ADDR=10.0.0.1 " + RUN.format(rest=""), SLIP, False),
        ("GPUs=$1\ntorchrun --nproc_per_node=$GPUS train.py\n", UNSET, True),
        ("GPUs=$1\ntorchrun --nproc_per_node=$GPUs train.py --n $GPUS\n", UNSET, False),
    ],
)
def test_what_bash_makes_of_it(lint_text: Lint, text: str, name: str, fires: bool) -> None:
    found = [f for f in lint_text(f"#!/bin/bash\n{text}", "run.sh") if f.name == name]
    assert bool(found) == fires, [f.message.en for f in found]
