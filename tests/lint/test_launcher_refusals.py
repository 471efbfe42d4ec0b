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
