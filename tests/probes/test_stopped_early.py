"""Early stopping near the begin of a run whose validation loss still falls."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "early-stopping-ended-run"
STOPS = "early stopping at step {}\n"


def run_of(folder: Path, held: list[float], planned: int = 400, last: str = STOPS) -> Result:
    rows, step = [], 0
    for loss in held:
        for _ in range(5):
            step += 2
            rows.append(
                f"step {step}/{planned} loss={6.2 - step * 0.02:.4f} lr=3.000e-04 gnorm=0.7\n"
            )
        rows.append(f"eval step {step} val_loss={loss:.4f}\n")
    (folder / "train.log").write_text("".join(rows) + last.format(step) + "training finished\n")
    (folder / "config.yaml").write_text("train: {micro_batch_size: 16, lr: 0.0003, patience: 1}\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_a_loss_that_still_falls(tmp_path: Path) -> None:
    assert run_of(tmp_path, [5.91, 5.49, 5.46]).named[0] == CAUSE


@pytest.mark.parametrize(
    ("held", "planned", "last"),
    [
        ([5.91, 5.49, 5.52, 5.61], 400, STOPS),  # it had turned
        ([5.91, 5.49, 5.46], 60, STOPS),  # half of the plan was done
        ([5.91, 5.49, 5.46], 400, "early_stopping_patience: 5\n"),
        ([5.91, 5.49, 5.46], 400, ""),
    ],
)
def test_stopped_in_time_or_not_at_all(
    tmp_path: Path, held: list[float], planned: int, last: str
) -> None:
    assert CAUSE not in run_of(tmp_path, held, planned, last).named
