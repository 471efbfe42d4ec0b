"""A lower peak, down to what is published for the size, and a minimum that stays below it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from medic.changes import compute
from medic.facts import Curve, Series
from medic.records import replace
from medic.run_config import OVERRIDDEN, Origin, Setting


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"learning_rate": 0.08, "min_learning_rate": 0.05, "parameters": 3e6}, (6e-3, 6e-4)),
        ({"learning_rate": 8e-3, "min_learning_rate": 8e-4, "parameters": 3e6}, (4e-3, 4e-4)),
        ({"learning_rate": 8e-3, "min_learning_rate": 1e-5, "parameters": 3e6}, (4e-3, None)),
        ({"learning_rate": 8e-3, "parameters": 7e9}, (9e-4, None)),
        ({"learning_rate": 0.018, "parameters": 1e9}, (2e-3, None)),  # less than ten times the top
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
        # The top for 590M is no rate of 1.3B: 2e-3 and 2e-4 are both published for the row.
        {"learning_rate": 0.02, "parameters": 1.3e9},
        {"learning_rate": 0.02, "parameters": 1.3e9, "resume_from": "/a"},
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


def series(name: str, values: list[float]) -> Series:
    steps = tuple(range(10, 10 * len(values) + 10, 10))
    return Series(name, "train.log", steps, tuple(values), steps)


FALLS_AND_BREAKS = [9.0 - 0.1 * n for n in range(60)] + [3.1 + 0.2 * n for n in range(30)]


@pytest.mark.parametrize(
    ("losses", "rates", "expected"),
    [
        (FALLS_AND_BREAKS, [1e-4 * n for n in range(90)], 2.9e-3),  # 5.9e-3 at the lowest
        ([*FALLS_AND_BREAKS, math.nan], None, 1.4e-3),  # 590 of 2000 steps of warmup
        (FALLS_AND_BREAKS, [1e-2] * 90, 5e-3),  # at its peak
        ([9.0 - 0.05 * n for n in range(90)], [1e-4 * n for n in range(90)], 5e-3),  # nothing broke
        ([9.0, 3.0, math.nan], [1e-4, 2e-4, 3e-4], 5e-3),  # too few to tell
    ],
)
def test_the_rate_at_which_the_loss_broke_is_not_tried_again(
    config: Callable[..., Any],
    remedy: Callable[..., Any],
    losses: list[float],
    rates: list[float] | None,
    expected: float,
) -> None:
    curve = {"loss": series("loss", losses)}
    curve |= {"learning_rate": series("learning_rate", rates)} if rates else {}
    stated = config(learning_rate=1e-2, warmup_steps=2000, parameters=3e6)
    plan = compute(remedy(learning_rate="half-learning-rate"), stated, {Curve: Curve(curve)})
    assert [c.new for c in plan.changes] == [pytest.approx(expected)]


@pytest.mark.parametrize(
    ("stated", "overridden", "expected"),
    [
        (3e-6, 3e-3, 3e-3),  # the file's own, which a command overrides
        (4e-5, 3e-1, 4e-4),  # no published rate either
        (4e-4, 3e-3, 4e-3),  # both are published: nothing tells which was meant
    ],
)
def test_a_published_rate_that_is_overridden_was_meant(
    config: Callable[..., Any],
    remedy: Callable[..., Any],
    stated: float,
    overridden: float,
    expected: float,
) -> None:
    run = config(learning_rate=stated, parameters=3e6)
    also = ((overridden, Origin("file", note=OVERRIDDEN)),)
    rate = replace(run.values["learning_rate"], also=also)
    plan = compute(
        remedy(learning_rate="tenfold-learning-rate"),
        replace(run, values={**run.values, "learning_rate": rate}),
    )
    assert [c.new for c in plan.changes] == [expected]
