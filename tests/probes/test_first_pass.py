"""Held-out samples that are worse than a guess, while the first epoch is learned."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

OTHERWISE = "evaluation-prepares-inputs-otherwise"


def run_of(folder: Path, held: list[float], classes: str = "num_classes: 10\n") -> Result:
    rows, seen = [], 0
    for epoch, loss in enumerate(held):
        for at in range(0, 61, 10):
            train = 0.05 + 2.28 * math.exp(-seen / 5)
            rows.append(f"Epoch: [{epoch}][{at:3d}/62]\tTime 0.1 (0.1)\tLoss {train:.3f} (1.0)\n")
            seen += 1
        rows.append(f" * Epoch {epoch} lr 0.1000 train loss 1.000 | val loss {loss:.3f}\n")
    (folder / "out.txt").write_text("".join(rows))
    (folder / "cfg.yaml").write_text(f"{classes}lr: 0.1\nbatch_size: 128\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_never_better_than_a_guess(tmp_path: Path) -> None:
    assert run_of(tmp_path, [26.7, 22.2, 13.2, 7.8, 8.1, 10.9]).named[0] == OTHERWISE


@pytest.mark.parametrize(
    ("held", "classes"),
    [
        ([5.1, 1.9, 1.1, 0.9, 0.8, 0.8], "num_classes: 10\n"),  # statistics that had to settle
        ([1.2, 1.1, 1.3, 1.6, 2.1, 2.6], "num_classes: 10\n"),  # learned by heart
        ([26.7, 22.2, 13.2, 7.8, 8.1, 10.9], ""),
    ],
)
def test_what_is_better_than_a_guess_once(tmp_path: Path, held: list[float], classes: str) -> None:
    assert OTHERWISE not in run_of(tmp_path, held, classes).named[:1]
