"""Rows with averages since the begin of an epoch: the first step of each starts the workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

CAUSE = "slow-data-loader"
FIRST = (
    "Epoch: [{e}][ 0/62]\tTime 0.140 (0.140)\tData 0.120 (0.120)\tLoss {loss:.3f} ({loss:.3f})\n"
)
LATER = "Epoch: [{e}][{i:2d}/62]\tTime 0.012 ({t})\tData {d} ({m})\tLoss {loss:.3f} ({loss:.3f})\n"
BARE = "Epoch: [{e}]  [{i:2d}/62]  time: {t}  data: {d}  loss: {loss:.3f}\n"


def named(folder: Path, log: str, workers: int) -> tuple[str, ...]:
    (folder / "out.txt").write_text(log)
    (folder / "cfg.yaml").write_text(f"batch_size: 32\nworkers: {workers}\nepochs: 10\n")
    return judge(Labelled("run", folder=str(folder)), load()).named


def epochs(time: str, wait: str, mean: str) -> str:
    text = ""
    for e in range(10):
        text += FIRST.format(e=e, loss=2.3 - e / 10)
        for i in (20, 40, 60):
            text += LATER.format(e=e, i=i, t=time, d=wait, m=mean, loss=2.3 - e / 10 - i / 999)
    return text


def bare() -> str:
    rows = [(e, i) for e in range(10) for i in (0, 20, 40, 60)]
    return "".join(
        BARE.format(e=e, i=i, t=0.012 if i else 0.14, d=0.0 if i else 0.12, loss=2.3 - e / 10)
        for e, i in rows
    )


def test_workers_that_start_with_each_epoch_are_no_slow_loader(tmp_path: Path) -> None:
    assert CAUSE not in named(tmp_path, epochs("0.017", "0.000", "0.003"), 4)


def test_rows_without_averages(tmp_path: Path) -> None:
    assert CAUSE not in named(tmp_path, bare(), 4)


def test_an_average_that_is_nearly_all_of_it(tmp_path: Path) -> None:
    assert named(tmp_path, epochs("0.417", "0.390", "0.403"), 4)[0] == CAUSE


@pytest.mark.parametrize(("workers", "slow"), [(0, True), (4, False)])
def test_the_first_step_tells_of_a_loader_without_workers(
    tmp_path: Path, workers: int, slow: bool
) -> None:
    row = "Epoch: [{e}][ 0/15]\tTime 5.5 (5.5)\tData 5.4 (5.4)\tLoss 1.9 (1.9)\n * Epoch {e} done\n"
    found = named(tmp_path, "".join(row.format(e=e) for e in range(3)), workers)
    assert (found[:1] == (CAUSE,)) is slow
