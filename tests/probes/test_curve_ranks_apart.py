"""The rank that is slower than all others, and answers and gradients that teach a policy nothing."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import groups, policy, stragglers, stuck

from medic.facts import Curve
from medic.probe import Finding
from tests.probes.test_curve_more import curve, series, told
from tests.probes.test_curve_ranks import config


def ranks(name: str, seconds: list[float], steps: int = 20) -> Curve:
    by_rank = {}
    for rank, level in enumerate(seconds):
        values = [level * (1 + 0.01 * (n % 3)) for n in range(steps)]
        by_rank[rank] = {name: series(name, values)}
    return Curve(by_rank[0], by_rank)


@pytest.mark.parametrize(
    ("seconds", "outcome"),
    [
        ([0.41, 0.41, 0.93, 0.42], "one-rank-slower"),
        ([0.41, 0.41, 0.45, 0.42], "none"),
        ([0.41, 0.80, 0.93, 0.42], "none"),  # two, and no line between them and the others
        ([0.41, 0.93], None),
    ],
)
@pytest.mark.parametrize("name", ["compute_time", "step_time"])
def test_the_slow_rank(look: Any, name: str, seconds: list[float], outcome: str | None) -> None:
    assert told(look, stragglers, ranks(name, seconds)).get("slow-scope") == outcome


def rl(**tracks: list[float]) -> Curve:
    return curve(series("reward", [0.4] * 40), *(series(n, v) for n, v in tracks.items()))


@pytest.mark.parametrize(
    ("tracks", "expected"),
    [
        ({"equal_groups": [1.0] * 40}, {"rl-group-spread": "all-equal"}),
        ({"equal_groups": [0.3] * 40}, {"rl-group-spread": "varied"}),
        ({"equal_groups": [0.7] * 40}, {}),
        ({"advantage_max": [0.0] * 40}, {"rl-group-spread": "all-equal"}),
        ({"advantage_max": [1.8] * 40}, {"rl-group-spread": "varied"}),
        ({"grad_norm": [0.0] * 40}, {"rl-gradient": "dead"}),
        ({"grad_norm": [0.1] * 40}, {}),
        ({"cut_share": [0.02] * 40}, {"completion-length": "usual"}),
        ({"cut_share": [0.4] * 40}, {}),
        (
            {"cut_share": [0.97] * 40, "advantage_max": [1.8] * 40},
            {"completion-length": "cut-at-limit"},
        ),
        (
            {
                "cut_share": [n / 40 for n in range(40)],
                "response_length": [500.0 + 12 * n for n in range(40)],
            },
            {"completion-length": "cut-at-limit", "response-length-explodes": "present"},
        ),
    ],
)
def test_what_a_policy_can_learn_from(look: Any, tracks: Any, expected: dict[str, str]) -> None:
    assert told(look, groups, rl(**tracks)) == expected


@pytest.mark.parametrize(
    ("values", "high"),
    [
        ({"learning_rate": 1e-4}, True),
        ({"learning_rate": 1e-6}, False),
        ({"learning_rate": 1e-4, "lora_rank": 16}, False),  # as adapters need
    ],
)
def test_the_rate_of_a_policy(look: Any, values: dict[str, float], high: bool) -> None:
    found = told(look, groups, rl(learning_rate=[values["learning_rate"]] * 40), config(**values))
    assert (found.get("rl-learning-rate") == "high") is high


def test_an_entropy_that_falls_while_nothing_else_moves(look: Any) -> None:
    falls = series("entropy", [0.5 * 0.9**n + 0.002 for n in range(60)])
    reward = series("reward", [min(0.6, 0.3 + 0.01 * n) for n in range(60)])
    near = series("kl", [0.001 * n for n in range(60)])
    away = series("kl", [0.001 * 1.25**n for n in range(60)])
    assert told(look, policy, curve(falls, reward, near))["before-the-collapse"] == (
        "entropy-fell-alone"
    )
    assert told(look, policy, curve(falls, reward, away))["before-the-collapse"] == "entropy-fell"
    assert told(look, policy, curve(falls, reward))["before-the-collapse"] == "entropy-fell"


def test_a_reward_that_falls_from_the_first_step_on(look: Any) -> None:
    falls = told(look, policy, curve(series("reward", [0.4 - 0.009 * n for n in range(42)])))
    assert falls["reward-collapses"] == "present"


@pytest.mark.parametrize(("zeros", "vanishes"), [(40, True), (38, True), (20, False), (0, False)])
def test_gradients_that_are_zero(look: Any, zeros: int, vanishes: bool) -> None:
    norms = series("grad_norm", [0.0] * zeros + [0.5] * (40 - zeros))
    loss = series("loss", [5.5] * 40)
    seen = look(facts=[curve(loss, norms)])
    assert ("gradient-vanishes" in {f.name for f in stuck.vanished(seen)}) is vanishes
    told = [f.outcome for f in stuck.norms(seen, 1) if isinstance(f, Finding)]
    assert not vanishes or not told


def test_norms_that_are_taken_of_cleared_gradients(look: Any) -> None:
    """The loss falls: its gradients are there, whatever norm is logged."""
    norms, loss = (
        series("grad_norm", [0.0] * 40),
        series("loss", [4.2 - 0.07 * n for n in range(40)]),
    )
    assert not list(stuck.vanished(look(facts=[curve(loss, norms)])))
