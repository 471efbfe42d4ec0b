"""What the GPUs that a batch script asks for do not compute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

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


TRAINER = """model_name_or_path: some/model
output_dir: out
per_device_train_batch_size: 1
learning_rate: 1.0e-5
num_train_epochs: 1
bf16: true
attn_implementation: flash_attention_2
"""


@pytest.mark.parametrize(
    ("gpu", "lines"),
    [("V100", [6, 7]), ("Tesla T4", [6, 7]), ("A100-80G", []), ("RTX 3090", []), ("", [])],
)
def test_the_gpu_that_is_told(tmp_path: Path, gpu: str, lines: list[int]) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(TRAINER)
    given = {"gpu": gpu} if gpu else {}
    found = lint(collect([str(file)], given=given), load()).findings
    names = {name for name, _ in TOLD}
    assert [one.line for one in found if one.name in names] == lines


@pytest.mark.parametrize(("gpu", "count"), [("V100", 2), ("H100", 0)])
def test_what_is_told_rules_over_what_a_script_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gpu: str, count: int
) -> None:
    file = tmp_path / "job.sbatch"
    file.write_text(JOB.format(gpu="t4"))
    main(["lint", str(file), "--gpu", gpu, "--format", "concise", "--lang", "en"])
    assert capsys.readouterr().out.count(f"the {gpu} ") == count


@pytest.mark.parametrize(("gpu", "told"), [("v100", 0), ("t4", 0), ("a100", 1)])
def test_where_bf16_is_no_choice_fp16_is_no_fault(lint_text: Lint, gpu: str, told: int) -> None:
    text = JOB.format(gpu=gpu).replace("--bf16", "--fp16").replace("flash_attention_2", "sdpa")
    found = lint_text(text, "job.sbatch")
    assert sum(one.name == "fp16-overflow" for one in found) == told
