"""A remedy goes back to what a run that worked had, where it leads the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medic.changes import compute
from medic.changes.worked import others
from medic.facts import Difference, SinceGood


def since(**good: tuple[str, str]) -> SinceGood:
    return SinceGood(tuple(Difference("config", n, now, was) for n, (now, was) in good.items()))


@pytest.mark.parametrize(
    ("good", "expected"),
    [
        (("0.003", "0.0003"), 3e-4),
        (("0.003", "0.03"), 1.5e-3),  # higher, and it worked: no reason to go there
        (("0.003", ""), 1.5e-3),
        (("0.003", "cosine"), 1.5e-3),
    ],
)
def test_the_rate_that_worked(
    config: Callable[..., Any],
    remedy: Callable[..., Any],
    good: tuple[str, str],
    expected: float,
) -> None:
    facts = {SinceGood: since(learning_rate=good)}
    wanted = remedy(learning_rate="half-learning-rate")
    plan = compute(wanted, config(learning_rate=3e-3, parameters=3e6), facts)
    assert [c.new for c in plan.changes] == [expected]


def test_a_slip_is_what_it_was(config: Callable[..., Any], remedy: Callable[..., Any]) -> None:
    facts = {SinceGood: since(learning_rate=("3.0", "0.0003"))}
    plan = compute(remedy(learning_rate="half-learning-rate"), config(learning_rate=3.0), facts)
    assert [c.new for c in plan.changes] == [3e-4]


def test_what_else_differs_is_told_beside_it() -> None:
    found = since(learning_rate=("0.003", "0.0003"), warmup_steps=("0", "100"))
    assert "warmup_steps 100 -> 0" in str(others(found, {"learning_rate": 3e-4}))
    assert others(found, {"learning_rate": 1.5e-3}) is None
    assert others(None, {"learning_rate": 3e-4}) is None
    only = since(learning_rate=("0.003", "0.0003"))
    assert others(only, {"learning_rate": 3e-4}) is None
