"""A lower peak, down to what is published for the size, and a minimum that stays below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medic.changes import compute
from medic.records import replace
from medic.run_config import Origin, Setting


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"learning_rate": 0.08, "min_learning_rate": 0.05, "parameters": 3e6}, (6e-3, 6e-4)),
        ({"learning_rate": 8e-3, "min_learning_rate": 8e-4, "parameters": 3e6}, (4e-3, 4e-4)),
        ({"learning_rate": 8e-3, "min_learning_rate": 1e-5, "parameters": 3e6}, (4e-3, None)),
        ({"learning_rate": 8e-3, "parameters": 7e9}, (9e-4, None)),
        ({"learning_rate": 0.08, "optimizer": "sgd", "parameters": 7e9}, (0.04, None)),
        ({"learning_rate": 1e-3, "base_model": "m"}, (1e-4, None)),
        ({"learning_rate": 3e4, "parameters": 7e9}, (3e-4, None)),  # the minus is missing
        ({"learning_rate": 30.0, "parameters": 7e9}, (3e-4, None)),  # the point alone is elsewhere
    ],
)
def test_the_peak_falls_to_what_is_usual_and_the_minimum_with_it(
    config: Callable[..., Any],
    remedy: Callable[..., Any],
    stated: dict[str, Any],
    expected: tuple[float, float | None],
) -> None:
    wanted = remedy(learning_rate="half-learning-rate", min_learning_rate="minimum-below-peak")
    plan = compute(wanted, config(**stated))
    new = {c.field: c.new for c in plan.changes}
    assert (new["learning_rate"], new.get("min_learning_rate")) == expected
    assert not plan.missing


@pytest.mark.parametrize(
    "stated",
    [
        {"learning_rate": 3.0},  # 3e-3 to 3e-6 are all usual
        {"learning_rate": 7.0, "parameters": 7e9},  # 7e-4 and 7e-5 are
        {
            "learning_rate": 4.0,
            "parameters": 1.76e11,
            "min_learning_rate": 1e-5,
            "resume_from": "/a",
        },
    ],
)
def test_the_top_of_the_range_is_not_what_was_meant(
    config: Callable[..., Any], remedy: Callable[..., Any], stated: dict[str, Any]
) -> None:
    wanted = remedy(learning_rate="half-learning-rate", min_learning_rate="minimum-below-peak")
    plan = compute(wanted, config(**stated))
    assert plan.changes == ()
    assert plan.note is not None
    assert "write the rate that was meant" in plan.note.en


@pytest.mark.parametrize(
    ("key", "name", "expected"),
    [
        ("model_name", "pythia-1.4b", 2e-3),
        ("model_name", "opt-125m", 6e-3),
        ("model_name", "tiny", 6e-3),
        ("run_name", "pythia-1.4b", 6e-3),  # it is no model's
        ("model_name", "v1.4beta", 6e-3),
    ],
)
def test_the_name_of_the_model_tells_its_size(
    config: Callable[..., Any], remedy: Callable[..., Any], key: str, name: str, expected: float
) -> None:
    stated = config(learning_rate=0.02)
    named = replace(stated, settings=(Setting((key,), name, Origin("file")),))
    plan = compute(remedy(learning_rate="half-learning-rate"), named)
    assert [c.new for c in plan.changes] == [expected]
