"""Answers that fill the limit of new tokens, and a reward that rises with them."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import policy

from medic.facts import LogHits
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Setting
from tests.probes.test_curve_more import curve, series, thresholds

PAID, CUT = "paid-to-the-limit", "cut-at-limit"
LIMIT = RunConfig(settings=(Setting(("max_new_tokens",), 40, Origin("file")),))


def lengths(look: Any, length: list[float], reward: list[float], config: RunConfig) -> str:
    made = curve(series("response_length", length), series("reward", reward))
    seen = look(facts=[made, config, LogHits()], thresholds=thresholds())
    found = [f for f in policy.run(seen) if isinstance(f, Finding)]
    return next((f.outcome for f in found if f.name == "completion-length"), "")


GROWN = [7.0, 32.0, *([40.0, 39.9] * 19)]
EARNED = [1.0, 3.5, *(4.4 + n / 100 for n in range(38))]


def test_the_reward_rose_while_they_grew(look: Any) -> None:
    assert lengths(look, GROWN, EARNED, LIMIT) == PAID


@pytest.mark.parametrize(
    ("length", "reward", "config", "outcome"),
    [
        (GROWN, [0.5, 0.1, *([0.1, 0.0] * 19)], LIMIT, CUT),  # what is cut earns nothing
        (GROWN, EARNED, RunConfig(), ""),
        ([12.0, 20.0, *([25.0, 24.0] * 19)], EARNED, LIMIT, ""),
        ([39.0, 39.5, *([40.0, 39.9] * 19)], EARNED, LIMIT, ""),  # of that length from the first
    ],
)
def test_other_lengths(
    look: Any, length: list[float], reward: list[float], config: RunConfig, outcome: str
) -> None:
    assert lengths(look, length, reward, config) == outcome
