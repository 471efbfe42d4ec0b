"""Tasks of a Slurm array: the elements of a list for them, and the folder that they write."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
JOB = (
    "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node=8\n#SBATCH --array={array}\n"
    "LRS=({items})\nLR=${{LRS[{index}]}}\n"
    "torchrun --nproc_per_node 8 train.py --lr $LR --output_dir {out}\n"
)
EACH = "out/$SLURM_ARRAY_TASK_ID"


def _job(**changed: str) -> str:
    parts = {"array": "0-2", "items": "1e-4 2e-4 3e-4", "index": "$SLURM_ARRAY_TASK_ID"}
    return JOB.format(**{"out": EACH, **parts, **changed})


@pytest.mark.parametrize(
    ("changed", "fires"),
    [
        ({}, False),
        ({"array": "0-5"}, True),
        ({"array": "0-5%1"}, True),
        ({"array": "1-3"}, True),
        ({"array": "0,2"}, False),
        ({"array": "0-8:3"}, True),
        ({"array": "1-3", "index": "$((SLURM_ARRAY_TASK_ID - 1))"}, False),
        ({"array": "1-4", "index": "SLURM_ARRAY_TASK_ID - 1"}, True),
        ({"array": "0-9", "items": "$(seq 10)"}, False),
        ({"array": "0-9", "index": "$SLURM_ARRAY_TASK_ID % 3"}, False),
    ],
)
def test_a_list_that_is_too_short(lint_text: Lint, changed: dict[str, str], fires: bool) -> None:
    found = lint_text(_job(**changed), "job.sbatch")
    told = [f.line for f in found if f.name == "shell-reads-otherwise"]
    assert told == ([6] if fires else [])


def test_a_list_that_grows_is_not_counted(lint_text: Lint) -> None:
    text = _job(array="0-5").replace("LR=${", "LRS+=(1 2 3)\nLR=${")
    found = lint_text(text, "job.sbatch")
    assert "shell-reads-otherwise" not in {f.name for f in found}


@pytest.mark.parametrize(
    ("changed", "fires"),
    [
        ({}, False),
        ({"out": "/ckpt/run"}, True),
        ({"out": "/ckpt/run", "array": "0-2%1"}, False),  # one after the other
        ({"out": "/ckpt/run", "array": "1"}, False),
        ({"out": "/ckpt/$SLURM_JOB_ID"}, False),
        ({"out": "/ckpt/$LR"}, False),
    ],
)
def test_one_folder_for_all(lint_text: Lint, changed: dict[str, str], fires: bool) -> None:
    found = lint_text(_job(**changed), "job.sbatch")
    told = [f.line for f in found if f.name == "ranks-race-on-checkpoint-folder"]
    assert told == ([7] if fires else [])
