"""Variables that a script uses before it sets them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
LATE = "shell-reads-otherwise"
SCRIPT = """#!/bin/bash
#SBATCH --gres=gpu:8
MASTER_PORT=29500 # MASTER_PORT of this job
nodes=$(scontrol show hostnames $SLURM_JOB_NODELIST)
nodes_array=($nodes) # all nodes
head_ip=${nodes_array[0]}
export CMD="torchrun --nnodes ${#nodes_array[@]} --rdzv_endpoint $head_ip:$MASTER_PORT"
NGPU=${NGPU:-8}
srun bash -c "$CMD --nproc_per_node $NGPU train.py --lr 1e-4"
"""
SETS = ["MASTER_PORT", "nodes", "nodes_array", "head_ip", "export CMD", "NGPU"]
USES = {"MASTER_PORT": 7, "nodes": 5, "nodes_array": 6, "head_ip": 7, "export CMD": 9, "NGPU": 9}


def _told(found: tuple[LintFinding, ...]) -> list[int]:
    return [f.line for f in found if f.name == LATE and "behind this command" in f.message.en]


def _with_last(name: str) -> str:
    lines = SCRIPT.rstrip("\n").split("\n")
    moved = next(line for line in lines if line.startswith(f"{name}="))
    return "\n".join([*(line for line in lines if line != moved), moved, ""])


def test_the_script_as_it_is(lint_text: Lint) -> None:
    assert _told(lint_text(SCRIPT, "run.sh")) == []


@pytest.mark.parametrize("name", SETS)
def test_a_variable_that_is_set_behind_its_use(lint_text: Lint, name: str) -> None:
    assert USES[name] - 1 in _told(lint_text(_with_last(name), "run.sh"))


@pytest.mark.parametrize("line", ["source env.sh", "eval $(cat env)", "set -a"])
def test_a_file_that_is_read_before_may_set_it(lint_text: Lint, line: str) -> None:
    text = _with_last("head_ip").replace("#!/bin/bash\n", f"#!/bin/bash\n{line}\n")
    assert _told(lint_text(text, "run.sh")) == []


def test_a_file_that_is_read_behind_it_does_not(lint_text: Lint) -> None:
    text = _with_last("head_ip") + "source env.sh\n"
    assert _told(lint_text(text, "run.sh")) == [6]


def test_what_the_environment_may_have_is_said(lint_text: Lint) -> None:
    (found,) = (f for f in lint_text(_with_last("MASTER_PORT"), "run.sh") if f.name == LATE)
    assert "environment" in found.message.en
    text = SCRIPT.replace("$NGPU", "$NGPU --out $HOME") + "HOME=/x\n"
    assert _told(lint_text(text, "run.sh")) == []
