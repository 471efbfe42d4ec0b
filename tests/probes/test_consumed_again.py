"""Consumed samples before and after a resume."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "data-position-not-restored"


def rows(first: int, last: int, consumed: int, batch: int = 8) -> str:
    return "".join(
        f" [2026-11-30 13:2{n // 60}:{n % 60:02d}] iteration {n:8d}/     160 | consumed samples: "
        f"{consumed + batch * (n - first + 1):12d} | elapsed time per iteration (ms): 150.6 | learning "
        f"rate: 1.9E-03 | global batch size: {batch:5d} | lm loss: {6 - n * 0.01:.6E} | grad norm: 0.942 |\n"
        for n in range(first, last + 1, 5)
    )


def run_of(folder: Path, consumed: int, at: int = 81, batch: int = 8) -> Result:
    text = "training ...\n" + rows(1, 80, 0)
    text += "  successfully saved checkpoint from iteration      80 to ckpt\n"
    text += " loading checkpoint from ckpt at iteration 80\n"
    text += "  successfully loaded checkpoint from ckpt at iteration 80\ntraining ...\n"
    text += (
        rows(at, 160, consumed, batch) + "[after training is done] datetime: 2026-11-30 13:23:07\n"
    )
    (folder / "train.log").write_text(text)
    return judge(Labelled("run", folder=str(folder)), load())


def test_samples_that_are_counted_anew(tmp_path: Path) -> None:
    found = run_of(tmp_path, 0)
    assert (found.verdict, found.named[0]) == ("likely", CAUSE)


@pytest.mark.parametrize(
    ("consumed", "at", "batch"),
    [
        (640, 81, 8),
        (640, 81, 4),  # another batch
        (480, 61, 8),  # from the checkpoint before the last
        (0, 1, 8),  # from its beginning
    ],
)
def test_samples_that_are_counted_on(tmp_path: Path, consumed: int, at: int, batch: int) -> None:
    assert CAUSE not in run_of(tmp_path, consumed, at, batch).named
