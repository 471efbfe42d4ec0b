"""Commands that a launcher or Hydra refuses before anything starts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
GPT = "python pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12"
VERL = "python3 -m verl.trainer.main_ppo data.train_batch_size=8"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (f"mpirun -np 0 -npernode 8 {GPT}", "-np 0 starts no process"),
        (f"mpirun -np 16 -npernode 8 {GPT}", ""),
        (f"mpirun -np $WORLD_SIZE {GPT}", ""),
        (
            "tune run --nproc_per_node 2 lora_finetune_single_device --config a/b",
            "--nproc_per_node",
        ),
        ("tune run --nnodes=1 lora_dpo_single_device --config a/b", "tune run refuses --nnodes"),
        ("tune run --nproc_per_node 2 lora_finetune_distributed --config a/b", ""),
        ("tune run lora_finetune_single_device --config a/b", ""),
        (f"{VERL} --bf16", "Hydra refuses --bf16"),
        (f"{VERL} --config-path=conf --config-name one", ""),
        (f"{VERL} --config-dir conf --cfg job", ""),
        ("python main_ppo.py data.train_batch_size=8 --bf16", ""),  # a program of one's own
    ],
)
def test_what_is_refused(lint_text: Lint, command: str, told: str) -> None:
    found = [f.message.en for f in lint_text(f"{command}\n", "run.sh")]
    words = ("starts no process", "tune run refuses", "Hydra refuses")
    said = [one for one in found if any(word in one for word in words)]
    assert len(said) == bool(told)
    assert all(told in one for one in said)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--nnodes=5 --rdzv_backend=c10", "no rendezvous backend c10; c10d is meant"),
        ("--nnodes=5 --rdzv_backend=c10d --rdzv_endpoint=h:1", ""),
        ("--nnodes=5 --rdzv-backend mine --rdzv_endpoint=h:1", ""),  # a plugin's
        ("--nnodes=5 --standalone", "no other node can join"),
        ("--nnodes=1:4 --standalone", ""),
        ("--standalone", ""),
    ],
)
def test_where_the_nodes_of_torchrun_meet(lint_text: Lint, options: str, told: str) -> None:
    found = lint_text(f"torchrun {options} --nproc_per_node 4 train.py\n", "run.sh")
    said = [f.message.en for f in found if f.name == "flag-value-not-accepted"]
    assert len(said) == bool(told)
    assert all(told in one for one in said)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("accelerate launch --multi_gpu --config_file a.yaml", "given no script"),
        ("accelerate launch --multi_gpu --config_file a.yaml train.py", ""),
        ("accelerate launch --multi_gpu $SCRIPT", ""),
        ('accelerate launch --multi_gpu "$@"', ""),
        ("accelerate launch --help", ""),
        ("accelerate launch --multi_gpu \\ \n  train.py --lr 1e-4", ""),  # told as a cut
        ("accelerate launch -m pkg.train --lr 1e-4", ""),
        ("ray job submit --address=a python3 -m pkg.train --lr 1e-4", "-m is read as an option"),
        ("ray job submit --address=a -- python3 -m pkg.train --lr 1e-4", ""),
        ("ray job submit --address=a python3 train.py --no-wait", ""),
        ("ray job submit --address=a bash run.sh", ""),
    ],
)
def test_commands_that_start_nothing(lint_text: Lint, command: str, told: str) -> None:
    found = lint_text(f"{command}\n", "run.sh")
    said = [f.message.en for f in found if f.name == "flag-value-not-accepted"]
    assert len(said) == bool(told)
    assert all(told in one for one in said)
