"""Held-out losses that are a sum over batches, or those of an average that is still at the start."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

GUESS = math.log(512)
SUM, AVERAGE = "logged-number-scaled", "averaged-weights-lag"


def run_of(folder: Path, settings: str, held: list[float]) -> Result:
    """Training falls from a guess to 4.2 in 200 steps; ``held`` are evenly spaced."""
    rows = []
    for step in range(10, 201, 10):
        loss = 4.2 + (GUESS - 4.2) * math.exp(-(step - 10) / 50)
        rows.append(
            f"step {step}/200 loss={loss:.4f} lr=3.000e-04 gnorm={0.7 + step % 30 / 99:.3f}\n"
        )
        if step % (200 // len(held)) == 0:
            rows.append(f"eval step {step} val_loss={held[step * len(held) // 200 - 1]:.4f}\n")
    (folder / "train.log").write_text("".join(rows) + "training finished\n")
    (folder / "config.yaml").write_text(
        f"vocab_size: 512\ntrain: {{micro_batch_size: 16, lr: 0.0003, max_steps: 200, {settings}}}\n"
    )
    return judge(Labelled("run", folder=str(folder)), load())


def test_a_sum_over_the_batches(tmp_path: Path) -> None:
    found = run_of(tmp_path, "eval_iters: 10", [53.0, 47.9, 45.0, 43.5])
    assert found.named[0] == SUM


def test_an_average_that_has_not_left_the_start(tmp_path: Path) -> None:
    found = run_of(tmp_path, "ema_decay: 0.9999", [6.233, 6.221, 6.206, 6.191])
    assert found.named[0] == AVERAGE


@pytest.mark.parametrize(
    ("settings", "held"),
    [
        ("eval_iters: 10", [5.3, 4.8, 4.5, 4.4]),
        ("eval_iters: 40", [53.0, 47.9, 45.0, 43.5]),  # not by their number
        ("eval_iters: 10, ema_decay: 0.9999", [5.3, 4.8, 4.5, 4.4]),  # its decay warms up
        ("ema_decay: 0.99", [6.233, 6.221, 6.206, 6.191]),  # it follows; something else is wrong
    ],
)
def test_means_and_averages_that_follow(tmp_path: Path, settings: str, held: list[float]) -> None:
    assert not {SUM, AVERAGE} & set(run_of(tmp_path, settings, held).named[:1])
