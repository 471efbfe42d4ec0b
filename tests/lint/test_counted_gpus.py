"""GPUs, ports and machines of launches against what the rest of the script gives them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MANY, HELD, PORT = "more-ranks-than-gpus", "gpu-held-by-another-process", "launches-share-a-port"
RANK, JOB = "node-rank-missing-or-repeated", "launch-not-as-allocated"
NAMES = (MANY, HELD, PORT, RANK, JOB)
VERL = "python -m verl.trainer.main_ppo trainer.nnodes=1 trainer.n_gpus_per_node={n}\n"
BATCH = "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node=4\n"
RLHF = (
    "ray start --head --num-gpus {n}\nray job submit -- python3 -m openrlhf.cli.train_ppo_ray \\\n"
    "  --actor_num_nodes 1 --actor_num_gpus_per_node 8\n"
)
DOCKER = (
    "docker run -d --gpus '\"device=0,1,2,3\"' --name t image sleep infinity\n"
    "docker exec t sh -c 'torchrun --standalone --nproc_per_node {n} train.py'\n"
)
PAIR = (
    "CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --master_port 29501 a.py >a.log 2>&1 & A=$!\n"
    "CUDA_VISIBLE_DEVICES={gpus} torchrun --master_port {port} b.py >b.log 2>&1 & B=$!\n"
    "wait $A; wait $B\n"
)
SERVER = (
    "export CUDA_VISIBLE_DEVICES=1\ntrl vllm-serve --model m --port 8000 {more} > v.log &\nPID=$!\n"
    "export CUDA_VISIBLE_DEVICES={gpu}\naccelerate launch grpo.py --use_vllm\n"
)
ARRAY = (
    "#!/bin/bash\n#SBATCH --array=0-5%2\n#SBATCH --nodes=1\n#SBATCH --gpus={gpus}\n"
    "PORT={port}\ntorchrun --nproc_per_node={gpus} --master_port=$PORT train.py --output_dir o/$SLURM_JOB_ID\n"
)
TASKS = (
    "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --ntasks={n}\n"
    "#SBATCH --gpus-per-node=8\nsrun torchrun --nnodes 4 --nproc_per_node 8 --rdzv_backend c10d "
    "--rdzv_endpoint $HEAD:29500 train.py\n"
)


def fired(lint_text: Lint, text: str) -> list[tuple[str, str]]:
    found = lint_text(text, "run.sh")
    return [(one.name, one.message.en) for one in found if one.name in NAMES]


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("export CUDA_VISIBLE_DEVICES=0,1\n" + VERL.format(n=8), MANY, "shows 2 GPUs"),
        (BATCH + VERL.format(n=8), MANY, "the job asks for 4 GPUs a node"),
        ("ray start --head --num-gpus=4\n" + VERL.format(n=8), MANY, "ray start gives 4 GPUs"),
        (RLHF.format(n=4), MANY, "--actor_num_gpus_per_node is 8, and ray start gives 4"),
        (DOCKER.format(n=8), MANY, "8 processes in the container, and docker run shows it 4 GPUs"),
        (PAIR.format(gpus="3,4,5,6", port=29502), HELD, "GPU 3 is that of line 1, too"),
        (PAIR.format(gpus="4,5,6,7", port=29501), PORT, "the launch of line 1 still runs"),
        (SERVER.format(gpu=1, more=""), HELD, "GPU 1 is that of line 2, too"),
        (ARRAY.format(gpus=4, port=15000), PORT, "2 tasks of the array run at the same time"),
        ("accelerate launch --num_machines 2 --num_processes 16 t.py\n", RANK, "neither"),
        (
            TASKS.format(n=2),
            JOB,
            "--ntasks is 2, and --nodes is 4: Slurm gives a node for each task, 2 in all",
        ),
    ],
)
def test_more_than_there_is(lint_text: Lint, text: str, name: str, words: str) -> None:
    (found,) = fired(lint_text, text)
    assert found[0] == name
    assert words in found[1]


@pytest.mark.parametrize(
    "text",
    [
        "export CUDA_VISIBLE_DEVICES=0,1\n" + VERL.format(n=2),
        "export CUDA_VISIBLE_DEVICES=$GPUS\n" + VERL.format(n=8),
        BATCH + VERL.format(n=4),
        "N=${N:-8}\n" + BATCH + VERL.format(n="$N"),
        RLHF.format(n=8),
        RLHF.format(n="$GPUS"),
        # Of one of two nodes it is not said.
        RLHF.format(n=4) + "ssh other ray start --address $HEAD:6379\n",
        DOCKER.format(n=4),
        DOCKER.format(n=8).replace("docker exec t sh -c", "bash -c"),
        DOCKER.format(n=8).replace("'\"device=0,1,2,3\"'", "all"),
        PAIR.format(gpus="4,5,6,7", port=29502),
        PAIR.format(gpus="3,4,5,6", port=29502).replace("& A=$!", "&& A=1"),
        # Two trainings on the same GPUs may be meant so.
        PAIR.format(gpus="0,1,2,3", port=29502),
        SERVER.format(gpu=0, more=""),
        SERVER.format(gpu=1, more="--gpu-memory-utilization 0.3"),
        ARRAY.format(gpus=4, port="$((15000 + SLURM_ARRAY_TASK_ID))"),
        ARRAY.format(gpus=8, port=15000),
        ARRAY.format(gpus=4, port=15000).replace("%2", "%1"),
        "accelerate launch --num_machines 2 --machine_rank $R --main_process_ip $H t.py\n",
        "accelerate launch --config_file a.yaml --num_machines 2 t.py\n",
        "accelerate launch --num_machines 1 --num_processes 8 t.py\n",
        TASKS.format(n=4),
    ],
)
def test_what_is_there_is_quiet(lint_text: Lint, text: str) -> None:
    assert fired(lint_text, text) == []
