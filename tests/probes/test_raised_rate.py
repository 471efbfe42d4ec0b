"""A learning rate that is raised above its peak in the middle of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from medic.probes.curve.raised import raised_at

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

QUIET = ("no-fault-seen", "healthy")
WARM = [3e-4 * min(1.0, (n + 1) / 20) for n in range(60)]


def run_of(folder: Path, rates: list[float], config: str = "", batch: int = 0) -> str:
    rows = []
    for n, rate in enumerate(rates):
        row = {"step": n, "loss": 3 + 6 / (1 + n / 20), "lr": rate}
        if batch:
            row["global_batch_size"] = 64 if n < 60 else batch
        rows.append(json.dumps(row) + "\n")
    (folder / "metrics.jsonl").write_text("".join(rows))
    if config:
        (folder / "config.yaml").write_text(config)
    return judge(Labelled("run", folder=str(folder)), load()).verdict


def test_ten_times_the_peak(tmp_path: Path) -> None:
    assert run_of(tmp_path, [*WARM, *[3e-3] * 60]) not in QUIET


@pytest.mark.parametrize(
    "later",
    [
        [3e-4] * 60,
        [3e-4 * (0.5 + 0.5 * (n % 30 < 15)) for n in range(60)],  # back to the same peak
        [3e-4 * 1.04**n for n in range(60)],  # a range test
        [3e-3] * 3 + [3e-4] * 57,  # a row or two of another group
    ],
)
def test_rates_that_are_not_raised(later: list[float]) -> None:
    assert raised_at([*WARM, *later]) is None


@pytest.mark.parametrize(
    ("rate", "config", "batch"),
    [(3e-3, "learning_rate: 0.003\nstage: 2\n", 0), (1.2e-3, "", 1024)],
)
def test_a_rate_as_set_or_scaled_with_the_batch(
    tmp_path: Path, rate: float, config: str, batch: int
) -> None:
    assert run_of(tmp_path, [*WARM, *[rate] * 60], config, batch) in QUIET
