"""Lines that say how a process ended."""

from __future__ import annotations

import pytest
from medic.probes.logs.ending import how


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[after training is done] datetime: 2025-03-01 12:00:00", "well"),
        ("training finished after 50 steps", "well"),
        ("[INFO:swift] End time of running main: 2026-07-20 10:00:00.000000", "well"),
        ("the state is saved after training finished", None),
    ],
)
def test_an_end_is_told_from_talk_of_it(line: str, said: str | None) -> None:
    assert how(line) == said


@pytest.mark.parametrize(
    ("line", "well"),
    [
        ("Monitored metric val_loss did not improve in the last 3 records. Best score: 1.500. Signaling Trainer to stop.", True),
        ("EarlyStopping: Training stopped early as no improvement observed in last 20 epochs. Best results observed at epoch 17", True),
        ("Metric val_loss improved by 0.010 >= min_delta = 0.0. New best score: 1.500", False),
    ],
)  # fmt: skip
def test_early_stopping_is_an_end(line: str, well: bool) -> None:
    assert (how(line) == "well") is well
