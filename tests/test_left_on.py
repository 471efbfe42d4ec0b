"""Debugging switches in the script of a run that trains on."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CONFIG = "train: {seq_len: 256, micro_batch_size: 16, lr: 0.0003, max_steps: 200}\n"


def run_of(folder: Path, script: str, steps: int = 200, end: str = "training finished") -> Result:
    rows = [
        f"2026-03-01 10:{n // 60:02d}:{n % 60:02d} INFO step {n}/{steps} loss={5 - n * 0.01:.4f} "
        f"lr=3.000e-04 step_time=1.00s\n"
        for n in range(1, steps + 1)
    ]
    (folder / "train.log").write_text("".join(rows) + f"2026-03-01 10:59:59 INFO {end}\n")
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "launch.sh").write_text(f"#!/bin/bash\n{script}\n")
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize(
    "script",
    [
        "export CUDA_LAUNCH_BLOCKING=1\ntorchrun --nproc_per_node=2 train.py --config config.yaml",
        "CUDA_LAUNCH_BLOCKING=1 python train.py --config config.yaml",
        "export TORCH_DISTRIBUTED_DEBUG=DETAIL\ntorchrun --nproc_per_node=2 train.py",
    ],
)
def test_a_training_with_a_switch_for_debugging(tmp_path: Path, script: str) -> None:
    found = run_of(tmp_path, script)
    assert (found.verdict, found.named[0]) == ("likely", "debug-switches-left-on")


@pytest.mark.parametrize(
    ("script", "steps", "end"),
    [
        ("export CUDA_LAUNCH_BLOCKING=0\npython train.py", 200, "training finished"),
        ("# export CUDA_LAUNCH_BLOCKING=1\npython train.py", 200, "training finished"),
        ("export TORCH_DISTRIBUTED_DEBUG=INFO\npython train.py", 200, "training finished"),
        # Whoever says why it stays leaves it there on purpose.
        ("# do not remove: the run hangs otherwise\nexport CUDA_LAUNCH_BLOCKING=1\npython train.py",
         200, "training finished"),
        # A few steps are for looking at a fault.
        ("export CUDA_LAUNCH_BLOCKING=1\npython train.py", 20, "training finished"),
        ("export CUDA_LAUNCH_BLOCKING=1\npython train.py", 200,
         "RuntimeError: CUDA error: device-side assert triggered"),
    ],
)  # fmt: skip
def test_what_is_no_switch_left_on(tmp_path: Path, script: str, steps: int, end: str) -> None:
    found = run_of(tmp_path, script, steps, end)
    assert "debug-switches-left-on" not in found.named[:1]
