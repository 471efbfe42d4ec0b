"""Total steps, decay, warmup and learning rates."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medic.changes import Plan, compute
from medic.entries import Remedy
from medic.run_config import RunConfig, Scalar

Make = Callable[..., RunConfig]
MakeRemedy = Callable[..., Remedy]


def new(plan: Plan) -> dict[str, Scalar]:
    return {change.field: change.new for change in plan.changes}


def test_steps_from_tokens(config: Make, remedy: MakeRemedy) -> None:
    run = config(total_tokens=1_000_000_000_000, global_batch_tokens=4_194_304, total_steps=100_000)
    plan = compute(remedy(total_steps="steps-from-tokens"), run)
    assert new(plan) == {"total_steps": 238_418}
    assert plan.values["total_steps"] == 100_000
    assert "4,194,304" in plan.changes[0].why.en


def test_real_batch_counts_before_the_stated_tokens_per_step(
    config: Make, remedy: MakeRemedy
) -> None:
    run = config(
        total_tokens=10_000,
        global_batch_tokens=10,
        micro_batch_size=2,
        gradient_accumulation_steps=1,
        data_parallel_size=1,
        sequence_length=50,
        total_steps=1000,
    )
    assert new(compute(remedy(total_steps="steps-from-tokens"), run)) == {"total_steps": 100}


@given(tokens=st.integers(1, 10**13), step=st.integers(1, 10**8))
def test_steps_never_use_more_tokens_than_planned(
    config: Make, remedy: MakeRemedy, tokens: int, step: int
) -> None:
    run = config(total_tokens=tokens, global_batch_tokens=step)
    plan = compute(remedy(total_steps="steps-from-tokens"), run)
    if tokens < step:
        assert plan.changes == ()
        assert plan.note is not None
        return
    steps = new(plan)["total_steps"]
    assert isinstance(steps, int)
    assert steps * step <= tokens < (steps + 1) * step


def test_tokens_from_steps(config: Make, remedy: MakeRemedy) -> None:
    run = config(total_steps=10, global_batch_size=8, sequence_length=128, total_tokens=1)
    assert new(compute(remedy(total_tokens="tokens-from-steps"), run)) == {"total_tokens": 10_240}


def test_decay_ends_with_the_run_that_the_same_plan_computes(
    config: Make, remedy: MakeRemedy
) -> None:
    run = config(total_tokens=1000, global_batch_tokens=10, total_steps=50, decay_steps=50)
    plan = compute(remedy(decay_steps="decay-to-total", total_steps="steps-from-tokens"), run)
    assert new(plan) == {"total_steps": 100, "decay_steps": 100}


@pytest.mark.parametrize(
    ("total", "beta2", "steps"),
    [
        (100_000, 0.95, 1000),
        (1_000_000, 0.95, 2000),
        (2000, 0.95, 40),
        (500, 0.999, 25),
        (5, None, 1),
    ],
)
def test_warmup_is_a_share_of_the_run(
    config: Make, remedy: MakeRemedy, total: int, beta2: float | None, steps: int
) -> None:
    values = {"total_steps": total, "warmup_steps": 10 * total, "adam_beta2": beta2}
    plan = compute(remedy(warmup_steps="warmup-share"), config(**values))
    assert new(plan) == {"warmup_steps": steps}


def test_warmup_stated_as_a_share_stays_one(config: Make, remedy: MakeRemedy) -> None:
    run = config(total_steps=1000, warmup_ratio=0.5, warmup_steps=500, derived=("warmup_steps",))
    plan = compute(remedy(warmup_steps="warmup-share"), run)
    assert new(plan) == {"warmup_ratio": 0.01}
    assert plan.values["warmup_steps_new"] == 10


@pytest.mark.parametrize(
    ("name", "old", "expected"),
    [
        ("half-learning-rate", 3e-4, 1.5e-4),
        ("half-learning-rate", 1e-5, 5e-6),
        ("tenfold-learning-rate", 3e-5, 3e-4),
        ("tenfold-learning-rate", 7e-7, 7e-6),
    ],
)
def test_learning_rates_have_no_binary_dust(
    config: Make, remedy: MakeRemedy, name: str, old: float, expected: float
) -> None:
    plan = compute(remedy(learning_rate=name), config(learning_rate=old))
    assert repr(new(plan)["learning_rate"]) == repr(expected)
