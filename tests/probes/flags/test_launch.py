"""Which command starts training, and what belongs to its launcher."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.flags.world import world_of


def _only(flags: Any, script: str) -> Any:
    found = flags.see({"run.sh": script}).launches
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("command", "launcher", "script", "first"),
    [
        ("torchrun --nproc_per_node=8 train.py --lr 1", "torchrun", "train.py", "--lr"),
        ("torchrun --nproc_per_node 8 --standalone train.py --a", "torchrun", "train.py", "--a"),
        ("torchrun --tee 3 -m llm.train --a", "torchrun", "llm.train", "--a"),
        ("python -m torch.distributed.run --nnodes 2 t.py --a", "torchrun", "t.py", "--a"),
        ("python3 -u -m torch.distributed.launch --use_env t.py --a", "torchrun", "t.py", "--a"),
        ("deepspeed --num_gpus 8 --no_local_rank ds.py --a", "deepspeed", "ds.py", "--a"),
        ("deepspeed --hostfile h --module pkg.ds --a", "deepspeed", "pkg.ds", "--a"),
        ("accelerate launch --multi_gpu --num_processes 8 t.py --a", "accelerate", "t.py", "--a"),
        ("accelerate launch --config_file c.yaml t.py --num_processes 8", "accelerate", "t.py",
         "--num_processes"),
        ("srun -N2 -n 16 --kill-on-bad-exit=1 python t.py --a", "srun", "t.py", "--a"),
        ("srun --ntasks-per-node=1 bash -c 'torchrun --nproc_per_node 8 t.py --a'", "torchrun",
         "t.py", "--a"),
        ("mpirun -np 16 -x PATH -mca btl ^openib --allow-run-as-root python t.py --a", "mpirun",
         "t.py", "--a"),
        ("nohup python -u t.py --a > log 2>&1 &", "python", "t.py", "--a"),
        ("exec env A=1 B=2 python3.11 t.py --a", "python", "t.py", "--a"),
        ("uv run --with torch torchrun --nproc_per_node 2 t.py --a", "torchrun", "t.py", "--a"),
        ("uv run t.py --a", "python", "t.py", "--a"),
        ("uv run --extra vllm -- python -m pkg.t --a", "python", "pkg.t", "--a"),
        ("uv run --isolated -m pkg.t --a", "python", "pkg.t", "--a"),
        ("conda run -n llm --no-capture-output python t.py --a", "python", "t.py", "--a"),
        ("numactl --cpunodebind=0 python t.py --a", "python", "t.py", "--a"),
        ("timeout 10h taskset -c 0-7 python t.py --a", "python", "t.py", "--a"),
        ("apptainer exec --nv -B /data img.sif torchrun t.py --a", "torchrun", "t.py", "--a"),
        ("./t.py --a", "python", "./t.py", "--a"),
        ("${PREFIX} torchrun t.py --a", "torchrun", "t.py", "--a"),
        ("llamafactory-cli train sft.yaml", "llamafactory-cli", "train", "sft.yaml"),
        ("torchrun --no-such 3 t.py --a", "torchrun", "t.py", "--a"),
    ],
)  # fmt: skip
def test_launch(flags: Any, command: str, launcher: str, script: str, first: str) -> None:
    launch = _only(flags, command + "\n")
    assert (launch.launcher, launch.script.value) == (launcher, script)
    assert launch.arguments[0].value == first


@pytest.mark.parametrize(
    "command",
    ["pip install torch", "python -c 'print(1)'", "python -m pip list", "mkdir -p out", "python -",
     "accelerate config", "axolotl preprocess a.yaml", "bash other.sh", "python"],
)  # fmt: skip
def test_no_launch(flags: Any, command: str) -> None:
    seen = flags.see({"run.sh": command + "\n"})
    assert not seen.launches


def test_training_is_told_from_helpers(flags: Any) -> None:
    script = "python prepare.py --out d\npython pretrain.py --lr 1\npython -m http.server\n"
    assert _only(flags, script).script.value == "pretrain.py"
    script = "python prepare.py --out d\ndeepspeed any.py --lr 1\n"
    assert _only(flags, script).script.value == "any.py"


def test_arguments_after_the_script_are_its_own(flags: Any) -> None:
    launch = _only(flags, "torchrun --nproc_per_node 2 train.py --nproc_per_node 8 -- x\n")
    values = [w.value for w in launch.arguments]
    assert values == ["--nproc_per_node", "8", "--", "x"]
    assert world_of(launch).nproc == 2


def test_words_from_variables_keep_their_place(flags: Any) -> None:
    script = 'ARGS="--lr 1e-4\n  --bf16"\nCMD="torchrun --nproc_per_node 4"\n$CMD train.py $ARGS\n'
    launch = _only(flags, script)
    assert [w.value for w in launch.arguments] == ["--lr", "1e-4", "--bf16"]
    assert [w.span.line for w in launch.arguments] == [1, 1, 2]
    assert world_of(launch) == (1, 4, 29500)


def test_environment(flags: Any) -> None:
    script = "export MASTER_PORT=1234\nMODEL=x\nCUDA_VISIBLE_DEVICES=0,1 env A=b python train.py\n"
    launch = _only(flags, script)
    assert launch.environment == {"MASTER_PORT": "1234", "CUDA_VISIBLE_DEVICES": "0,1", "A": "b"}
    assert world_of(launch).port == 1234


@pytest.mark.parametrize(
    ("command", "world"),
    [
        ("torchrun train.py", (1, 1, 29500)),
        ("torchrun --nproc 8 --nnodes 2 --master_port 1 train.py", (2, 8, 1)),
        ("torchrun --nproc-per-node=gpu --nnodes=1:4 train.py", (None, None, 29500)),
        ("torchrun --nnodes 2:2 --rdzv_endpoint h:77 --nproc_per_node 4 train.py", (2, 4, 77)),
        ("torchrun --standalone --nproc_per_node 4 train.py", (1, 4, None)),
        ("torchrun --nproc_per_node $N train.py", (1, None, 29500)),
        ("deepspeed train.py", (None, None, 29500)),
        ("deepspeed --num_nodes=2 --num_gpus=8 --master_port=3 train.py", (2, 8, 3)),
        ("deepspeed --include localhost:0,2,3 train.py", (1, 3, 29500)),
        ("accelerate launch --num_machines 2 --num_processes 16 train.py", (2, 8, None)),
        ("accelerate launch --num_processes 8 --main_process_port 5 train.py", (None, 8, 5)),
        ("accelerate launch --config_file c.yaml --num_processes 8 train.py", (None, None, None)),
        ("srun -N2 --ntasks-per-node=8 python train.py", (2, 8, None)),
        ("srun -N 2 -n 16 python train.py", (2, 8, None)),
        ("mpirun -np 16 -H a:8,b:8 python train.py", (2, 8, None)),
        ("python train.py", (None, None, None)),
    ],
)
def test_world(flags: Any, command: str, world: tuple[int | None, ...]) -> None:
    assert world_of(_only(flags, command + "\n")) == world


def test_slurm_header_counts(flags: Any) -> None:
    script = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun python train.py\n"
    assert world_of(_only(flags, script))[:2] == (4, 8)


def test_no_script_is_said(flags: Any) -> None:
    seen = flags.see({"train.log": "step 1\n"})
    assert "a launch script" in [s.needs.en for s in seen.skips]
