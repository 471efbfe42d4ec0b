"""Curves of policies: what breaks them, and how healthy ones move."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.curve import distance, groups, nan, policy, start
from medic.probes.logs.metric_names import canonical

from medic.facts import Source
from medic.probe import Finding
from tests.probes.test_curve_more import curve, series, told

Shape = Callable[[int, random.Random], float]


def track(name: str, shape: Shape, count: int = 150) -> Any:
    chance = random.Random(4)
    return series(name, [shape(n, chance) for n in range(count)])


@pytest.mark.parametrize(
    ("shape", "present", "before"),
    [
        (lambda n, r: 0.6 * math.exp(-n / 20) + 0.004, "present", "entropy-fell"),
        (lambda n, r: 0.4 + 0.0004 * n * n + r.gauss(0, 0.02), "present", "entropy-rose"),
        (lambda n, r: 0.15 + 0.45 * math.exp(-n / 40) + r.gauss(0, 0.01), "absent", None),
        (lambda n, r: 0.7 + r.gauss(0, 0.1), "absent", None),
    ],
)
def test_the_entropy(look: Any, shape: Shape, present: str, before: str | None) -> None:
    found = told(look, policy, curve(track("entropy", shape)))
    assert found["entropy-collapses"] == present
    assert found.get("before-the-collapse") == before


@pytest.mark.parametrize(
    ("first", "last", "told_of"),
    [(0.1, 1.0, "absent"), (0.1, 0.4, "present"), (1.0, 1.0, "present"), (0.1, 40.0, "present")],
)
def test_nothing_is_left_to_explore(look: Any, first: float, last: float, told_of: str) -> None:
    """The entropy of a task that is solved, with a reward that is a share, falls to zero, too."""
    entropy = track("entropy", lambda n, r: 2.4 * math.exp(-n / 20) + 0.004)
    reward = track("reward", lambda n, r: first + (last - first) * min(1.0, n / 100))
    found = told(look, policy, curve(entropy, reward))
    assert found["entropy-collapses"] == told_of


@pytest.mark.parametrize(
    ("shape", "level"),
    [
        (lambda n, r: 0.02 * math.exp(n / 15), "explodes"),
        (lambda n, r: math.nan if n > 90 else 0.01 * n, "is-nan"),
        (lambda n, r: 0.002 * n + abs(r.gauss(0, 0.01)), None),
        (lambda n, r: 5.0 if n == 70 else 0.04, None),  # it comes back
    ],
)
def test_the_distance_to_the_reference(look: Any, shape: Shape, level: str | None) -> None:
    found = told(look, policy, curve(track("kl", shape)))
    assert found.get("kl-level") == level
    assert found["kl-explodes"] == ("present" if level else "absent")


@pytest.mark.parametrize(
    ("shape", "flat", "falls", "level"),
    [
        (lambda n, r: 0.0, "present", "absent", "always-zero"),
        (lambda n, r: 0.5, "present", "absent", "flat-above-zero"),
        (lambda n, r: 1.0, "absent", "absent", None),
        (lambda n, r: 0.3 + r.gauss(0, 0.05), "present", "absent", None),
        (lambda n, r: 0.95 + r.gauss(0, 0.01), "absent", "absent", None),
        (lambda n, r: 0.2 + 0.003 * n + r.gauss(0, 0.05), "absent", "absent", None),
        (lambda n, r: 0.2 + 0.005 * min(n, 90) - 0.4 * (n > 110), "absent", "present", None),
        (lambda n, r: 0.6 - 0.3 * math.exp(-n / 30) + r.gauss(0, 0.05), "absent", "absent", None),
    ],
)
def test_the_reward(look: Any, shape: Shape, flat: str, falls: str, level: str | None) -> None:
    found = told(look, policy, curve(track("reward", shape)))
    assert (found["reward-flat"], found["reward-collapses"]) == (flat, falls)
    assert found.get("reward-level") == level


@pytest.mark.parametrize(
    ("shape", "outcome", "present"),
    [
        (lambda n, r: 12 + 400 * math.exp(-n / 20), "shrinks", "present"),
        (lambda n, r: 300 + 12 * n + r.gauss(0, 30), "grows", None),  # as reasoning does
        (lambda n, r: 400 + r.gauss(0, 60), None, "absent"),
    ],
)
def test_the_length(look: Any, shape: Shape, outcome: str | None, present: str | None) -> None:
    found = told(look, policy, curve(track("response_length", shape)))
    assert found.get("completion-length") == outcome
    assert found.get("response-length-explodes") == present


@pytest.mark.parametrize(
    ("counted", "lost"), [([0] * 40 + [2] * 10, True), ([0] * 20 + [3] + [0] * 29, False)]
)
def test_iterations_that_megatron_counts_as_nan(look: Any, counted: list[int], lost: bool) -> None:
    """They are not in the loss that it logs."""
    seen = curve(series("loss", [2.5] * 50), series("nan_iterations", [float(n) for n in counted]))
    found = [f for f in nan.run(look(facts=[seen])) if isinstance(f, Finding)]
    steps = [f.value["step"] for f in found if f.name == "loss-nan"]
    assert steps == ([41] if lost else [])
    assert not lost or not any(f.name == "nan-gradient" for f in found)


@pytest.mark.parametrize(
    ("name", "shape", "level"),
    [
        ("kl", lambda n, r: 12.0 + r.gauss(0, 0.4), "explodes"),  # already so when the log begins
        ("kl", lambda n, r: 0.1 if n < 100 else 1.4, "explodes"),
        ("kl", lambda n, r: 0.002 + 0.4 * (n / 150) ** 1.5, None),
        ("sequence_kl", lambda n, r: 14 * (1 - math.exp(-n / 30)) + r.gauss(0, 0.5), None),
        ("sequence_kl", lambda n, r: -0.05 * n, "negative"),
        ("update_kl", lambda n, r: 0.003 if n < 60 else 1.7, "explodes"),
        ("update_kl", lambda n, r: abs(r.gauss(0, 0.02)), None),
    ],
)
@pytest.mark.parametrize("count", [12, 150])
def test_how_far_a_kl_is_depends_on_what_it_sums(
    look: Any, name: str, shape: Shape, level: str | None, count: int
) -> None:
    found = told(look, policy, curve(track(name, lambda n, r: shape(n * 150 // count, r), count)))
    assert found.get("kl-level") == level
    assert found["kl-explodes"] == ("present" if level else "absent")


@pytest.mark.parametrize(
    ("shape", "outcome", "symptom"),
    [
        (lambda n, r: min(0.97, 0.01 * n + r.random() / 100), "rises-to-most", "kl-explodes"),
        (
            lambda n, r: 0.8 + r.random() / 10,
            "most-from-the-start",
            "policy-rollout-mismatch",
        ),
        (lambda n, r: 0.15 + r.random() / 50, "usual", None),  # as GSPO's
        (lambda n, r: 0.8, None, None),  # a setting
    ],
)
def test_the_clipped_share(
    look: Any, shape: Shape, outcome: str | None, symptom: str | None
) -> None:
    found = told(look, policy, curve(track("clip_share", shape)))
    assert found.get("clip-share") == outcome
    assert [n for n, o in found.items() if o == "present"] == ([symptom] if symptom else [])


@pytest.mark.parametrize(
    ("row", "far"), [("recon 12.4 kl 7.1", False), ("reward 0.1 kl 7.1", True)]
)
def test_the_kl_of_an_autoencoder(
    look: Any, monkeypatch: pytest.MonkeyPatch, row: str, far: bool
) -> None:
    monkeypatch.setattr(distance, "source_at", lambda *_: Source("a.log", 9, text=row))
    found = told(look, policy, curve(track("kl", lambda n, r: 0.05 * n)))
    assert (found.get("kl-explodes") == "present") is far


@pytest.mark.parametrize("solved", [0.0, 1.0])
def test_groups_of_equal_rewards_leave_a_loss_of_zero(look: Any, solved: float) -> None:
    seen = curve(
        *(series(n, [0.0] * 10) for n in ("loss", "grad_norm", "reward_spread")),
        series("reward", [solved] * 10),
    )
    found = told(look, groups, seen)
    assert found["rl-group-spread"] == "all-equal"
    assert (found["rl-gradient"], found["rl-loss-zero"]) == ("dead", "present")
    assert told(look, start, seen)["loss-is-zero"] == "absent"


def test_a_loss_of_zero_beside_a_gradient_is_no_fault(look: Any) -> None:
    """On-policy it is zero by design."""
    seen = curve(
        series("loss", [0.0] * 40),
        series("grad_norm", [0.3] * 40),
        series("reward_spread", [0.4] * 40),
        series("reward", [0.2 + 0.01 * n for n in range(40)]),
    )
    assert told(look, start, seen)["loss-is-zero"] == "absent"
    assert "rl-loss-zero" not in told(look, groups, seen)


def test_answers_as_long_as_the_longest_are_cut(look: Any) -> None:
    limit = series("response_longest", [1024.0] * 40)
    rising = series("response_length", [min(1022.0, 300 + 30.0 * n) for n in range(40)])
    found = told(look, groups, curve(limit, rising, track("reward", lambda n, r: r.random(), 40)))
    assert found["completion-length"] == "cut-at-limit"
    assert found["response-length-explodes"] == "present"
    free = series("response_longest", [700.0 + n for n in range(40)])
    same = series("response_length", [700.0 + n for n in range(40)])
    found = told(look, groups, curve(free, same, track("reward", lambda n, r: r.random(), 40)))
    assert "completion-length" not in found


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("actor/pg_clipfrac", "clip_share"),
        ("clip_ratio/region_mean", "clip_share"),
        ("policy/clipfrac_avg", "clip_share"),
        ("response_length/clip_ratio", "cut_share"),
        ("response_clip_ratio", "cut_share"),
        ("actor/ppo_kl", "update_kl"),
        ("policy/approxkl_avg", "update_kl"),
        ("objective/kl", "sequence_kl"),
        ("actor/kl_loss", "kl"),
        ("policy/entropy_avg", "entropy"),
        ("response_length/max", "response_longest"),
        ("objective/entropy", None),  # a sum over an answer: it grows with its length
        ("actor/pg_clipfrac_lower", None),
    ],
)
def test_how_the_trainers_call_it(name: str, metric: str | None) -> None:
    known = canonical(name)
    assert (known[0] if known else None) == metric
