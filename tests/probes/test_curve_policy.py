"""Curves of policies: what breaks them, and how healthy ones move."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.curve import nan, policy

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
