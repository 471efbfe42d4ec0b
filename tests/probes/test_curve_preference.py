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
