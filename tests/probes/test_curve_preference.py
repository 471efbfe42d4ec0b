"""Curves of preference training: a policy that stays at its reference, and one that leaves it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from medic.probes.curve import preference
from medic.probes.logs.metric_names import canonical

from tests.probes.test_curve_more import curve, series, told

CHANCE = random.Random(3)
ANSWERS = [-180 + CHANCE.gauss(0, 25) for _ in range(200)]
DECAY = [5e-7 * min(1, (n + 1) / 20) * (1 - n / 400) for n in range(200)]


def run_of(margins: list[float], losses: list[float], logps: list[float], rate: Any = None) -> Any:
    made = [series("reward_margin", margins), series("loss", losses)]
    made.append(series("chosen_logps", logps[: len(margins)]))
    if rate is not None:
        made.append(series("learning_rate", rate))
    return curve(*made)


@pytest.mark.parametrize(
    ("logps", "outcome"), [(ANSWERS, "unmoved"), ([0.0] * 200, "exactly-zero")]
)
def test_no_margin_at_all(look: Any, logps: list[float], outcome: str) -> None:
    found = told(look, preference, run_of([0.0] * 12, [0.6931] * 12, logps))
    assert found == {"preference-loss-stuck": "present", "preference-logps": outcome}


def test_margins_of_noise_after_the_warmup(look: Any) -> None:
    chance = random.Random(1)
    margins = [chance.gauss(0, 0.002) for _ in range(200)]
    losses = [0.6931 - m / 2 for m in margins]
    assert told(look, preference, run_of(margins, losses, ANSWERS, DECAY)) == {
        "preference-loss-stuck": "present"
    }
    # Of a run that is still in its warmup, and of one whose rate is not known, nothing is said.
    rising = [5e-7 * (n + 1) / 400 for n in range(200)]
    assert told(look, preference, run_of(margins, losses, ANSWERS, rising)) == {}
    assert told(look, preference, run_of(margins, losses, ANSWERS)) == {}


def test_a_policy_that_learns_and_one_that_has_just_begun(look: Any) -> None:
    chance = random.Random(2)
    margins = [0.004 * n + chance.gauss(0, 0.05) for n in range(200)]
    losses = [0.6931 - m / 3 for m in margins]
    found = told(look, preference, run_of(margins, losses, ANSWERS, DECAY))
    assert found == {"preference-loss-stuck": "absent"}
    begun = [0.0, *[0.0004 * n for n in range(1, 12)]]
    assert told(look, preference, run_of(begun, [0.693] * 12, ANSWERS)) == {}


def test_a_loss_that_is_not_that_of_equal_models(look: Any) -> None:
    """Margins that another trainer does not fill in."""
    assert told(look, preference, run_of([0.0] * 30, [0.41] * 30, ANSWERS)) == {}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("rewards/chosen", "chosen_reward"),
        ("rewards/margins", "reward_margin"),
        ("train/rewards/margins", "reward_margin"),
        ("logps/chosen", "chosen_logps"),
        ("reject_reward", "rejected_reward"),
    ],
)
def test_the_names(name: str, plain: str) -> None:
    assert canonical(name) == (plain, 1.0)


def of_rewards(chosen: list[float], rejected: list[float], right: float, **more: Any) -> Any:
    margins = [c - r for c, r in zip(chosen, rejected, strict=True)]
    tracks = {"chosen_reward": chosen, "rejected_reward": rejected, "reward_margin": margins}
    tracks |= {"pair_accuracy": [right] * len(chosen)} | more
    return curve(*(series(name, values) for name, values in tracks.items()))


@pytest.mark.parametrize(
    ("last", "outcome", "lost"),
    [(-0.5, None, False), (-5.0, "chosen-falls", False), (-20.0, "chosen-falls", True)],
)
def test_chosen_answers_that_get_less_likely(
    look: Any, last: float, outcome: str | None, lost: bool
) -> None:
    chosen = [last * n / 99 for n in range(100)]
    found = told(look, preference, of_rewards(chosen, [1.5 * c - 0.01 for c in chosen], 0.8))
    assert found.get("preference-logps") == outcome
    assert (found.get("chosen-likelihood-falls") == "present") is lost


@pytest.mark.parametrize(("loss", "right", "easy"), [(1e-4, 1.0, True), (0.3, 0.85, False)])
def test_pairs_that_are_all_told_apart(look: Any, loss: float, right: float, easy: bool) -> None:
    chosen = [0.02 * n for n in range(100)]
    seen = of_rewards(chosen, [-0.5 * n for n in range(100)], right, loss=[loss] * 100)
    found = told(look, preference, seen)
    assert (found.get("preference-loss-at-zero") == "present") is easy
    assert (found.get("preference-logps") == "all-told-apart") is easy


@pytest.mark.parametrize(("level", "stuck"), [(0.5, True), (0.62, False)])
def test_half_of_the_pairs_right_in_a_long_run(look: Any, level: float, stuck: bool) -> None:
    chance = random.Random(6)
    chosen = [0.004 * n + chance.gauss(0, 0.05) for n in range(200)]
    noise = {
        "pair_accuracy": [level + chance.gauss(0, 0.04) for _ in chosen],
        "loss": [0.695 + chance.gauss(0, 0.01) for _ in chosen],
        "learning_rate": DECAY,
    }
    rejected = [c + chance.gauss(0, 0.05) for c in chosen]
    found = told(look, preference, of_rewards(chosen, rejected, level, **noise))
    assert (found.get("preference-loss-stuck") == "present") is stuck
