"""fp8 on GPUs that compute none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "precision-not-supported-by-device"
MEGATRON = (
    "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:{gpu}:8\n"
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 2048 "
    "--num-attention-heads 16 --micro-batch-size 4 --lr 1e-4 --bf16 {more}\n"
)
TITAN = (
    '[job]\ndump_folder = "out"\n[model]\nname = "llama3"\nflavor = "8B"\nconverters = ["{what}"]\n'
    "[training]\nlocal_batch_size = 1\nseq_len = 2048\nsteps = 100\n[float8]\nemulate = {emulate}\n"
)


@pytest.mark.parametrize(
    ("gpu", "more", "lines"),
    [
        ("a100", "--fp8-format hybrid", [4]),
        ("v100", "--fp8-format e4m3", [4]),
        ("h100", "--fp8-format hybrid", []),
        ("l40s", "--fp8-format hybrid", []),
        ("rtx6000ada", "--fp8-format hybrid", []),
        ("a100", "", []),
    ],
)
def test_what_a_job_asks_for(lint_text: Lint, gpu: str, more: str, lines: list[int]) -> None:
    found = lint_text(MEGATRON.format(gpu=gpu, more=more), "job.sbatch")
    assert [f.line for f in found if f.name == NAME and "fp8" in f.message.en] == lines


@pytest.mark.parametrize(
    ("gpu", "what", "emulate", "fires"),
    [
        ("A100-80G", "float8", "false", True),
        ("RTX 3090", "float8", "false", True),
        ("H100-80G", "float8", "false", False),
        ("RTX-4090", "float8", "false", False),
        ("A100-80G", "float8", "true", False),
        ("A100-80G", "quantize.other", "false", False),
    ],
)
def test_the_gpu_that_is_told(
    tmp_path: Path, gpu: str, what: str, emulate: str, fires: bool
) -> None:
    path = tmp_path / "titan.toml"
    path.write_text(TITAN.format(what=what, emulate=emulate))
    found = lint(collect([str(path)], given={"gpu": gpu}), load()).findings
    assert [f.line for f in found if f.name == NAME] == ([6] if fires else [])
