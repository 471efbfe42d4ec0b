"""What the GPUs that a batch script asks for do not compute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.files import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
JOB = (
    "#!/bin/bash\n"
    "#SBATCH --nodes=1\n"
    "#SBATCH --gres=gpu:{gpu}:8\n"
    "torchrun --nproc_per_node 8 train.py --model_name_or_path m --output_dir out \\\n"
    "  --report_to none --save_strategy epoch --learning_rate 1e-5 --num_train_epochs 1 \\\n"
    "  --per_device_train_batch_size 1 --bf16 True \\\n"
    "  --attn_implementation flash_attention_2\n"
)
TOLD = [("precision-not-supported-by-device", 6), ("flash-attn-gpu-too-old", 7)]


@pytest.mark.parametrize("gpu", ["v100", "t4", "rtx2080ti", "Tesla_V100"])
def test_older_than_ampere(lint_text: Lint, gpu: str) -> None:
    found = lint_text(JOB.format(gpu=gpu.lower()), "job.sbatch")
    assert [(one.name, one.line) for one in found] == TOLD


@pytest.mark.parametrize("gpu", ["a100", "h100", "l4", "v1000", "rtx3090"])
def test_newer_ones(lint_text: Lint, gpu: str) -> None:
    assert lint_text(JOB.format(gpu=gpu), "job.sbatch") == ()


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("--gres=gpu:v100:8", "--gres=gpu:8\n#SBATCH --constraint=v100", 2),
        ("--gres=gpu:v100:8", '--gres=gpu:8\n#SBATCH --constraint="v100|a100"', 0),
        ("--gres=gpu:v100:8", "--gres=gpu:8\n#SBATCH -p gpu_v100", 2),
        ("--gres=gpu:v100:8", "--gres=gpu:8  # once v100", 0),
        ("flash_attention_2", "sdpa", 1),
    ],
)
def test_what_is_asked_for(lint_text: Lint, old: str, new: str, count: int) -> None:
    text = JOB.format(gpu="v100").replace(old, new)
    names = {name for name, _ in TOLD}
    found = [one for one in lint_text(text, "job.sbatch") if one.name in names]
    assert len(found) == count
