"""What ``#SBATCH`` lines say of the launch, and processes against visible GPUs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

JOB = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH -c 8
srun python train.py --tensor_parallel_size 2 \\
  --num_workers 4
"""
VISIBLE = """export CUDA_VISIBLE_DEVICES=0,1,2,3
torchrun --nproc_per_node=4 train.py --lr 1e-4
"""
EARLY = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:8
srun torchrun --nproc_per_node 8 --nnodes 2 \\
  --node_rank $SLURM_NODEID \\
  --master_addr $HEAD --master_port 6000 train.py
"""


def test_tasks_of_srun_are_the_ranks(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("job") / "job.sh"
    path.write_text(JOB)
    config = lint(collect([str(path)]), load()).run_config
    assert [config.get(n) for n in ("nodes", "gpus_per_node", "world_size")] == [2, 4, 8]
    origin = config.origin("nodes")
    assert origin is not None
    assert origin.where().endswith("job.sh:2")


def test_a_single_task_may_start_its_own_ranks(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("job") / "job.sh"
    path.write_text(JOB.replace("node=4\n#SBATCH --gpus", "node=1\n#SBATCH --gpus"))
    config = lint(collect([str(path)]), load()).run_config
    assert (config.get("gpus_per_node"), config.get("world_size")) == (None, None)


def test_loader_workers_against_the_cpus_of_a_task(lint_text: Lint) -> None:
    assert lint_text(JOB, "job.sh") == ()
    found = lint_text(JOB.replace("--num_workers 4", "--num_workers 16"), "job.sh")
    assert [(f.name, f.line) for f in found] == [("more-workers-than-cpus", 7)]


@pytest.mark.parametrize(
    ("old", "new", "workers"),
    [
        ("", "", 8),  # a rank is a task of 8 CPUs
        ("srun python", "srun torchrun --nproc_per_node 4", 2),
        ("srun python", "srun torchrun --nproc_per_node $N", None),
    ],
)
def test_workers_are_offered_by_the_cpus_of_a_rank(
    lint_text: Lint, old: str, new: str, workers: int | None
) -> None:
    text = JOB.replace("--num_workers 4", "--num_workers 16")
    if old:
        text = text.replace(old, new).replace("tasks-per-node=4", "tasks-per-node=1")
    (found,) = [f for f in lint_text(text, "job.sh") if f.name == "more-workers-than-cpus"]
    offered = [c.new for c in found.fix.changes] if found.fix is not None else []
    assert offered == ([workers] if workers else [])
    assert found.fix is None or not found.fix.safe


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("0,1,2,3", "0,1", 1), ("node=4", "node=8", 1)],
)
def test_more_processes_than_visible_gpus(lint_text: Lint, old: str, new: str, line: int) -> None:
    assert lint_text(VISIBLE, "run.sh") == ()
    found = lint_text(VISIBLE.replace(old, new), "run.sh")
    assert [(f.name, f.line) for f in found] == [("more-ranks-than-gpus", line)]


def test_visible_gpus_that_are_not_known_say_nothing(lint_text: Lint) -> None:
    assert lint_text(VISIBLE.replace("0,1,2,3", "${GPUS:-0,1}"), "run.sh") == ()


def test_a_rank_that_the_batch_script_fills_in(lint_text: Lint) -> None:
    found = lint_text(EARLY, "job.sh")
    assert [(f.name, f.line) for f in found] == [("node-rank-missing-or-repeated", 6)]
    meeting = EARLY.replace("--master_addr $HEAD --master_port 6000",
                            "--rdzv_backend c10d --rdzv_endpoint $HEAD:6000")  # fmt: skip
    assert lint_text(meeting, "job.sh") == ()


@pytest.mark.parametrize("shell", ["bash", "sh", "zsh", "dash", "/bin/bash", "/usr/bin/zsh"])
def test_a_rank_that_an_inner_shell_fills_in(lint_text: Lint, shell: str) -> None:
    inner = EARLY.replace("srun torchrun", f"srun {shell} -c 'torchrun")
    assert lint_text(inner.replace("n.py\n", "n.py'\n"), "job.sh") == ()
