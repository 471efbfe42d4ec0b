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
