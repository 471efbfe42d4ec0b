"""Ranks that print one loss, and whether they read the same data."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

LOADER = (
    "import torch.distributed as dist\nloader = DataLoader(data, batch_size=16, shuffle=True)\n"
)
AVERAGED = LOADER + "dist.all_reduce(loss)\n"
EVALUATED = "def evaluate(model):\n    dist.all_reduce(total)\n\n    return total\n" + LOADER
GRADIENTS = LOADER + "for p in model.parameters():\n    dist.all_reduce(p.grad)\n"


def run_of(folder: Path, apart: float, program: str = "", times: float = 0.002) -> Result:
    rows = []
    for n in range(1, 61):
        for rank in (0, 1):
            loss = 6 - n * 0.03 + 0.1 * (n % 3) + apart * rank
            rows.append(
                f"2026-03-01 10:00:{n - 1:02d} [rank{rank}] INFO step {n}/60 loss={loss:.4f} "
                f"lr=3.000e-04 step_time={0.5 + rank * times + n * 0.0001:.4f}\n"
            )
    (folder / "train.log").write_text("".join(rows) + "2026-03-01 10:01:00 training finished\n")
    (folder / "config.yaml").write_text(
        "train: {micro_batch_size: 16, lr: 0.0003, max_steps: 60}\n"
    )
    if program:
        (folder / "train.py").write_text(program)
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize("program", [LOADER, GRADIENTS, EVALUATED])
def test_one_loss_that_nothing_averages(tmp_path: Path, program: str) -> None:
    found = run_of(tmp_path, 0.0, program)
    assert (found.verdict, found.named[0]) == ("likely", "ranks-read-same-data")


@pytest.mark.parametrize(
    ("apart", "program", "times", "verdict"),
    [
        # Nothing tells whether it was averaged: no fault, and no health.
        (0.0, "", 0.002, "no-fault-seen"),
        (0.0, AVERAGED, 0.002, "healthy"),
        (0.0, GRADIENTS + "dist.all_reduce(loss)\n", 0.002, "healthy"),
        (0.0, EVALUATED + "dist.all_reduce(loss)\n", 0.002, "healthy"),
        (0.01, LOADER, 0.002, "healthy"),
        (0.0, "", 0.0, "healthy"),  # the lines of one rank, written twice
    ],
)
def test_losses_apart_or_maybe_averaged(
    tmp_path: Path, apart: float, program: str, times: float, verdict: str
) -> None:
    assert run_of(tmp_path, apart, program, times).verdict == verdict
