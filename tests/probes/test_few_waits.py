"""Few rows that show how long the loader is waited for: nearly the whole of each step is enough."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from medic.probes.logs.metric_names import canonical

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

CAUSE = "slow-data-loader"


def named(folder: Path, waits: list[float], step: float) -> tuple[str, ...]:
    rows = [
        {"step": 10 * n, "loss": 4 - 0.1 * n, "lr": 3e-4, "data_s": wait, "step_s": step}
        for n, wait in enumerate(waits, 1)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return judge(Labelled("run", folder=str(folder)), load()).named


@pytest.mark.parametrize("waits", [[0.41, 0.42, 0.4, 0.41], [0.01, 0.42, 0.4, 0.41, 0.39]])
def test_four_rows_of_which_all_wait(tmp_path: Path, waits: list[float]) -> None:
    assert named(tmp_path, waits, 0.43)[0] == CAUSE


@pytest.mark.parametrize(
    ("waits", "step"),
    [
        ([0.41, 0.42, 0.4], 0.43),
        ([0.41, 0.01, 0.4, 0.41], 0.43),
        ([0.41, 0.1, 0.1, 0.1], 0.43),
        ([0.0041, 0.0042, 0.004, 0.0041], 0.0043),
    ],
)
def test_too_few_a_part_or_milliseconds(tmp_path: Path, waits: list[float], step: float) -> None:
    assert CAUSE not in named(tmp_path, waits, step)[:1]


def test_a_speed_is_no_time() -> None:
    assert canonical("step_s") == ("step_time", 1.0)
    assert canonical("step/s") != ("step_time", 1.0)
