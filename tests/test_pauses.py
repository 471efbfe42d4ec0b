"""Steps that are slow again and again, and cost most of the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load


def run_of(folder: Path, *, slow: float, wait: float | None = None, extra: str = "") -> Result:
    """Every eighth step takes ``slow`` seconds, of which ``wait`` are the loader's."""
    rows = []
    for n in range(1, 241):
        long = n % 8 == 0
        time = slow if long else 1.2
        told = "" if wait is None else f" | data_time {wait if long else 0.01:.2f}s"
        rows.append(f"step {n} | loss {4 - n / 100:.4f} | lr 1e-4 | step_time {time:.2f}s{told}\n")
        rows.append(extra if long else "")
    (folder / "train.log").write_text("".join(rows))
    return judge(Labelled("run", folder=str(folder)), load())


def test_pauses_in_which_the_loader_is_awaited(tmp_path: Path) -> None:
    assert run_of(tmp_path, slow=21.0, wait=19.8).named[0] == "slow-data-loader"


def test_pauses_that_nothing_explains(tmp_path: Path) -> None:
    found = run_of(tmp_path, slow=21.0)
    assert found.verdict not in ("healthy", "established")
    assert "slow-data-loader" in found.named[:3]


@pytest.mark.parametrize(
    ("slow", "wait", "extra"),
    [
        (2.0, 0.02, ""),
        (2.5, None, ""),
        (21.0, None, "Saving model checkpoint to out/checkpoint\n"),
        (21.0, 0.02, "step 8 | eval_loss 2.1\n"),
    ],
)
def test_pauses_that_cost_little_or_are_meant(
    tmp_path: Path, slow: float, wait: float | None, extra: str
) -> None:
    assert not run_of(tmp_path, slow=slow, wait=wait, extra=extra).named
