"""The rule of a learning rate that is set anew."""

from __future__ import annotations

import pytest
from medic.probes.curve.rate_leaps import is_lost, is_up, no_longer_rises


def test_a_warmup_that_goes_on() -> None:
    assert no_longer_rises([3e-4, 3e-4, 2e-4])
    assert not no_longer_rises([1e-4, 2e-4])


def test_higher_at_once() -> None:
    assert is_up(1e-4, 2e-4)
    assert not is_up(1e-4, 1.2e-4)


@pytest.mark.parametrize(
    ("after", "back", "lost"),
    [
        ([1e-6, 5e-6, 9e-6], 0.0, True),
        ([1e-6, 5e-6, 9e-6], 0.3, False),  # not so far yet
        ([1e-6, 5e-5, 9e-5], 0.3, True),
        ([2e-5, 1e-5, 5e-6], 0.0, False),  # a steep decay
        ([9e-5, 1e-4], 0.0, False),
    ],
)
def test_lower_at_once_and_warmed_up_anew(after: list[float], back: float, lost: bool) -> None:
    assert is_lost(1e-4, after, back) == lost
