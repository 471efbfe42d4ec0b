"""A program that asks for CUDA, finds none and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

AUTOCAST = (
    "train.py:88: UserWarning: CUDA is not available or torch_xla is imported. Disabling autocast."
)
SCALER = "amp.py:9: UserWarning: torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
OLD = (
    "torch/cuda/__init__.py:118: UserWarning: CUDA initialization: The NVIDIA driver on your system "
    "is too old (found version 11040). Please update your GPU driver by downloading and installing "
    "a new version from the URL: http://www.nvidia.com/Download/index.aspx\n"
)


def named(folder: Path, line: str) -> tuple[str, ...]:
    rows = [f"iter {n}: loss {5 - n * 0.02:.4f}, time {1300 + n}.00ms\n" for n in range(30)]
    (folder / "train.log").write_text(f"{line}\n{''.join(rows)}")
    return judge(Labelled("run", folder=str(folder)), load()).named


@pytest.mark.parametrize("line", [AUTOCAST, SCALER])
def test_it_trains_on_the_cpu(tmp_path: Path, line: str) -> None:
    assert named(tmp_path, line)[0] == "training-runs-on-cpu"


def test_what_hides_the_gpu_is_named_beside_it(tmp_path: Path) -> None:
    assert "driver-older-than-cuda" in named(tmp_path, OLD + AUTOCAST)[:2]


def test_a_scaler_that_is_in_use_is_none(tmp_path: Path) -> None:
    rows = "GradScaler is enabled, CUDA is available\niter 1: loss 5.0\niter 2: loss 4.9\n"
    (tmp_path / "train.log").write_text(rows)
    assert not judge(Labelled("run", folder=str(tmp_path)), load()).named
