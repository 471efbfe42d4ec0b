"""Step times that grow from row to row, of few rows; and some that do not."""

from __future__ import annotations

import pytest
from medic.probes.curve.speed import _onset

GROWING = [100 + 35 * n + 8 * (-1) ** n for n in range(17)]


@pytest.mark.parametrize(
    ("times", "outcome"),
    [
        (GROWING, "gradually"),
        ([100.0 + n % 3 for n in range(9)] + [400.0 + n % 4 for n in range(9)], "suddenly"),
        ([100 + 3 * (-1) ** n + n for n in range(17)], "none"),
        ([100 + 50 * (-1) ** n for n in range(17)], "none"),
    ],
)
def test_of_few_rows(times: list[float], outcome: str) -> None:
    assert _onset(range(20, 20 * len(times) + 20, 20), [1 / t for t in times])[0] == outcome


@pytest.mark.parametrize(("fast", "outcome"), [(3, "none"), (8, "suddenly")])
def test_a_few_fast_rows_at_the_start_are_no_speed_that_it_had(fast: int, outcome: str) -> None:
    times = [0.08] * fast + [0.26 + n % 3 / 100 for n in range(42 - fast)]
    assert _onset(range(5, 215, 5), [1 / t for t in times])[0] == outcome
