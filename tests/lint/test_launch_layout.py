"""Nodes, tasks and processes against what the job asks of Slurm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Changed = Callable[[str, str, str, str], list[tuple[str, int]]]
Lint = Callable[..., tuple[LintFinding, ...]]
TORCHRUN = (
    "#!/bin/bash\n"
    "#SBATCH --nodes=2\n"
    "#SBATCH --ntasks-per-node=1\n"
    "#SBATCH --gres=gpu:a100:8\n"
    "MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)\n"
    "srun torchrun --nnodes 2 --nproc_per_node 8 \\\n"
    "  --node_rank $NODE_RANK \\\n"
    "  --master_addr $MASTER_ADDR \\\n"
    "  train.py --model small\n"
)
TASKS = (
    "#!/bin/bash\n"
    "#SBATCH -N 2\n"
    "#SBATCH --ntasks-per-node=8  # one a GPU\n"
    "#SBATCH --gpus-per-node=8\n"
    "export MASTER_ADDR=node1\n"
    "export WORLD_SIZE=$SLURM_NTASKS\n"
    "srun python train.py --model small\n"
)
PLAIN = (
    "torchrun --nnodes 2 --node_rank 0 --nproc_per_node 8 \\\n"
    "  --master_addr 10.0.0.1 train.py --model small\n"
)
ACCELERATE = (
    "#!/bin/bash\n"
    "#SBATCH --nodes=2\n"
    "#SBATCH --ntasks-per-node=1\n"
    "#SBATCH --gpus=16\n"
    "srun accelerate launch --num_machines 2 --num_processes 16 \\\n"
    "  --machine_rank $NODE_RANK --main_process_ip $HEAD train.py\n"
)
EVERY, RANK = "launcher-in-every-task", "node-rank-missing-or-repeated"
ENDPOINT, MANY = "rendezvous-endpoint-wrong", "more-ranks-than-gpus"
OTHERWISE = "launch-not-as-allocated"
MUTATIONS = [
    (TORCHRUN, "--ntasks-per-node=1", "--ntasks-per-node=8", EVERY, 3),
    (TORCHRUN, "#SBATCH --ntasks-per-node=1", "#SBATCH --ntasks=16", EVERY, 3),
    (TORCHRUN, "srun torchrun", "srun --ntasks-per-node=8 torchrun", EVERY, 6),
    (TORCHRUN, "--node_rank $NODE_RANK", "--node_rank 0", RANK, 7),
    (TORCHRUN, "  --node_rank $NODE_RANK \\\n", "", RANK, 6),
    (TORCHRUN, "--node_rank $NODE_RANK", "--node_rank $SLURM_NODEID", RANK, 7),
    (ACCELERATE, "--machine_rank $NODE_RANK", "--machine_rank ${SLURM_PROCID}", RANK, 6),
    (TORCHRUN, "--master_addr $MASTER_ADDR", "--master_addr localhost", ENDPOINT, 8),
    (TORCHRUN, "--nnodes 2", "--nnodes 4", OTHERWISE, 6),
    (TORCHRUN, "--nproc_per_node 8", "--nproc_per_node 4", OTHERWISE, 6),
    (TORCHRUN, "gpu:a100:8", "gpu:a100:4", MANY, 6),
    (TASKS, "--ntasks-per-node=8", "--ntasks-per-node=1", OTHERWISE, 3),
    (TASKS, "--ntasks-per-node=8", "--ntasks-per-node=16", MANY, 3),
    (TASKS, "MASTER_ADDR=node1", "MASTER_ADDR=127.0.0.1", ENDPOINT, 5),
    (PLAIN, "10.0.0.1", "127.0.0.1", ENDPOINT, 2),
    (ACCELERATE, "--machine_rank $NODE_RANK", "--machine_rank 0", RANK, 6),
    (ACCELERATE, "--num_processes 16", "--num_processes 8", OTHERWISE, 5),
    (ACCELERATE, "--ntasks-per-node=1", "--ntasks-per-node=8", EVERY, 3),
]
SILENT = [
    (TORCHRUN, "--node_rank $NODE_RANK", "--node_rank ${NODE_RANK:-0}"),
    (TORCHRUN, "--node_rank $NODE_RANK", "--rdzv_backend c10d"),
    (TORCHRUN, "--node_rank $NODE_RANK", "--node_rank 0 --rdzv_backend c10d"),
    (TORCHRUN, "--master_addr $MASTER_ADDR", "--master_addr ${HEAD:-localhost}"),
    (TORCHRUN, "--nnodes 2", "--nnodes $SLURM_NNODES"),
    (TORCHRUN, "--nnodes 2", "--nnodes 1:4"),
    (TORCHRUN, "--nnodes 2", "--nnodes ${N:-4}"),
    (TORCHRUN, "--nproc_per_node 8", "--nproc_per_node ${GPUS:-4}"),
    (TORCHRUN, "--nproc_per_node 8", "--nproc_per_node ${GPUS:-16}"),
    (TORCHRUN, "srun torchrun --nnodes 2", "srun -N 1 torchrun --nnodes 1"),
    (TORCHRUN, "srun torchrun", "srun --ntasks-per-node 1 torchrun"),
    (TASKS, "export WORLD_SIZE=$SLURM_NTASKS", "export CUDA_VISIBLE_DEVICES=0,1"),
    (PLAIN, "--nnodes 2", "--nnodes 1"),
]


@pytest.mark.parametrize("text", [TORCHRUN, TASKS, PLAIN, ACCELERATE])
def test_the_clean_scripts_are_silent(lint_text: Lint, text: str) -> None:
    assert lint_text(text, "launch.sh") == ()


@pytest.mark.parametrize(("text", "old", "new", "cause", "line"), MUTATIONS)
def test_what_does_not_fit_is_told(
    lint_changed: Changed, text: str, old: str, new: str, cause: str, line: int
) -> None:
    assert lint_changed(text, "launch.sh", old, new) == [(cause, line)]


@pytest.mark.parametrize(("text", "old", "new"), SILENT)
def test_what_cannot_be_known_is_not_told(lint_text: Lint, text: str, old: str, new: str) -> None:
    assert old in text
    assert lint_text(text.replace(old, new), "launch.sh") == ()
