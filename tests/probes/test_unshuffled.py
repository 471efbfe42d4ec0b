"""A loss that follows the sources of data which nobody shuffles."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

WAVES = [(7.0, 30), (4.0, 30)] * 4  # level and steps of each source
SMOOTH = [(7.0 - n * 0.2, 20) for n in range(12)]
ONCE = [(6.0, 80), (4.0, 80), (6.5, 80)]


def run_of(folder: Path, setting: str, levels: list[tuple[float, int]]) -> Result:
    rows, step = [], 0
    for level, count in levels:
        for n in range(count):
            step += 1
            rate = 3e-4 * min(1.0, step / 20, 1.2 - step / 240)
            loss = level + 0.04 * (n % 5)
            rows.append(f"step {step}/240 loss={loss:.4f} lr={rate:.3e} gnorm=0.5\n")
    (folder / "train.log").write_text("".join(rows) + "training finished\n")
    (folder / "config.yaml").write_text(
        f"data: {{{setting}}}\ntrain: {{micro_batch_size: 16, lr: 0.0003, max_steps: 240}}\n"
    )
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize("setting", ["shuffle: false", "disable_shuffling: true"])
def test_levels_that_come_back(tmp_path: Path, setting: str) -> None:
    found = run_of(tmp_path, setting, WAVES)
    assert found.named[0] == "data-order-repeats"
    assert found.verdict in ("likely", "established")


@pytest.mark.parametrize(
    ("setting", "levels"),
    [
        ("shuffle: true", WAVES),
        ("val_shuffle: false", WAVES),
        ("shuffle: false", SMOOTH),  # shuffled when it was written
        ("shuffle: false", ONCE),
    ],
)
def test_shuffled_data_or_an_even_loss(
    tmp_path: Path, setting: str, levels: list[tuple[float, int]]
) -> None:
    assert "data-order-repeats" not in run_of(tmp_path, setting, levels).named[:1]
