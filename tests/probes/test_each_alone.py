"""Processes that each take themselves for the only one."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "processes-train-alone"


def run_of(folder: Path, tags: tuple[str, str], apart: float = 0.0, times: float = 0.01) -> Result:
    rows = []
    for step in range(10, 121, 10):
        for n, tag in enumerate(tags):
            rows.append(
                f"2026-03-01 10:{step // 60:02d}:{step % 60:02d} INFO {tag} train: step {step}/120 loss="
                f"{6 - step * 0.01 + apart * n:.4f} lr=3.000e-04 step_time={0.2 + times * n:.3f}\n"
            )
    (folder / "train.log").write_text("".join(rows) + "2026-03-01 10:03:00 finished at step 120\n")
    (folder / "config.yaml").write_text(
        "train: {micro_batch_size: 16, lr: 0.0003, max_steps: 120}\n"
    )
    return judge(Labelled("run", folder=str(folder)), load())


def test_two_of_one(tmp_path: Path) -> None:
    assert run_of(tmp_path, ("r0/1", "r0/1")).named[0] == CAUSE


@pytest.mark.parametrize(
    ("tags", "apart", "times"),
    [
        (("r0/2", "r1/2"), 0.0, 0.01),  # a group that averages its loss
        (("r0/1", "r0/1"), 0.2, 0.01),  # two runs of their own
        (("r0/1", "r0/1"), 0.0, 0.0),  # written twice
    ],
)
def test_a_group_or_two_runs(
    tmp_path: Path, tags: tuple[str, str], apart: float, times: float
) -> None:
    assert CAUSE not in run_of(tmp_path, tags, apart, times).named
