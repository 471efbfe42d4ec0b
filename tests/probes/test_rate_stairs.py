"""The last stair of a rate that is set once an epoch is no floor; a floor is longer than a stair."""

from __future__ import annotations

import pytest
from medic.probes.curve.held import is_stair

STAIRS = [rate for rate in (4e-3, 3.7e-3, 3e-3, 2e-3, 1e-3) for _ in range(6)]


@pytest.mark.parametrize(
    ("values", "at", "stair"),
    [
        ([*STAIRS, *[2.7e-4] * 6], 30, True),
        ([*STAIRS, *[2.7e-4] * 5], 30, True),  # the run ends within its last epoch
        ([*STAIRS, *[2.7e-4] * 20], 30, False),
        ([4e-3 - n * 1e-4 for n in range(30)] + [1e-3] * 6, 30, False),  # it moves in each row
        ([4e-3] * 6 + [2e-3] * 6 + [2.7e-4] * 6, 12, False),  # too few stairs to know them
    ],
)
def test_a_stair_is_no_floor(values: list[float], at: int, stair: bool) -> None:
    assert is_stair(values, at) is stair
