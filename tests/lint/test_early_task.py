"""A task's rank that the batch script fills in before the tasks start."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SCRIPT = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n#SBATCH --gres=gpu:8\n{}\n"


def _told(lint_text: Lint, line: str, script: str = SCRIPT) -> list[LintFinding]:
    found = lint_text(script.format(line), "run.sh")
    return [f for f in found if "batch script itself" in f.message.en]


@pytest.mark.parametrize(
    "line",
    [
        'srun bash -c "RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS python train.py"',
        'srun --cpu-bind=cores sh -c "export LOCAL_RANK=${{SLURM_LOCALID}}; python train.py"',
        'srun -n 16 bash -lc "cd /w && \\\n  python train.py --local_rank ${{SLURM_LOCALID}}"',
    ],
)
def test_a_rank_in_double_quotes(lint_text: Lint, line: str) -> None:
    (found,) = _told(lint_text, line.replace("{{", "{").replace("}}", "}"))
    assert found.fix is not None
    assert "由批处理脚本自身展开" in found.message.zh


@pytest.mark.parametrize(
    "line",
    [
        "srun bash -c 'RANK=$SLURM_PROCID python train.py'",
        'srun bash -c "RANK=\\$SLURM_PROCID python train.py"',
        'srun -n 1 bash -c "RANK=$SLURM_PROCID python train.py"',
        'srun bash -c "JOB=$SLURM_JOB_ID python train.py"',
        'echo "RANK=$SLURM_PROCID"',
        'bash -c "RANK=$SLURM_PROCID python train.py"',
    ],
)
def test_what_is_left_to_the_tasks(lint_text: Lint, line: str) -> None:
    assert _told(lint_text, line) == []


def test_one_task_has_the_batch_scripts_rank(lint_text: Lint) -> None:
    line = 'srun bash -c "RANK=$SLURM_PROCID python train.py"'
    one = SCRIPT.replace("nodes=2", "nodes=1").replace("per-node=8", "per-node=1")
    assert _told(lint_text, line, one) == []
    assert _told(lint_text, line, "#!/bin/bash\n{}\n") == []
