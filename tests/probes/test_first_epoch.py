"""A training loss near zero within the first pass over the data."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "one-batch-repeated"


def run_of(folder: Path, held: list[float], epochs: int = 1) -> Result:
    text = f" > number of documents: 900\n    total number of epochs: {epochs}\ntraining ...\n"
    for step in range(5, 161, 5):
        loss = 0.012 + 6.2 * math.exp(-step / 22) * (1 + 0.05 * (step % 3))
        text += (
            f" [2026-11-30 13:0{step // 60}:{step % 60:02d}] iteration {step:8d}/     160 | consumed samples: "
            f"{8 * step:12d} | elapsed time per iteration (ms): 150.6 | learning rate: 1.9E-03 | global batch "
            f"size:     8 | lm loss: {loss:.6E} | grad norm: 0.942 |\n"
        )
        if step % 40 == 0:
            text += f" validation loss at iteration {step} | lm loss value: {held[step // 40 - 1]:.6E} |\n"
    (folder / "train.log").write_text(
        text + "[after training is done] datetime: 2026-11-30 13:23:07\n"
    )
    return judge(Labelled("run", folder=str(folder)), load())


def test_nothing_came_twice_and_all_is_known(tmp_path: Path) -> None:
    assert run_of(tmp_path, [5.745, 6.4, 7.1, 7.459]).named[0] == CAUSE


@pytest.mark.parametrize(
    ("held", "epochs"),
    [
        ([5.745, 6.4, 7.1, 7.459], 40),  # learned by heart in forty passes
        ([3.2, 1.1, 0.2, 0.013], 1),  # the labels are visible
    ],
)
def test_many_passes_or_visible_labels(tmp_path: Path, held: list[float], epochs: int) -> None:
    assert CAUSE not in run_of(tmp_path, held, epochs).named[:1]
