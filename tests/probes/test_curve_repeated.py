"""A loss without the noise of batches, and losses whose epoch is told in two digits."""

from __future__ import annotations

import random
from typing import Any

import pytest
from medic.probes.curve import jumps, repeated
from medic.probes.logs.steps import Steps

from tests.probes.test_curve_more import curve, series, told


def falling(count: int, noise: float, low: float = 0.01) -> list[float]:
    rng = random.Random(3)
    return [low + 6.3 * 0.9**n * (1 + noise * rng.gauss(0, 1)) for n in range(count)]


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        (falling(80, 0.0), "none"),
        (falling(80, 0.2), "usual"),  # batches differ: the labels are visible, or the set is small
        (falling(30, 0.0), None),  # not down yet
        ([v / 20 for v in falling(80, 0.0)], None),  # of a tuned model: a short way
        (falling(80, 0.0)[::10], None),  # means of ten steps hide the noise
    ],
)
def test_a_loss_without_noise(look: Any, values: list[float], outcome: str | None) -> None:
    found = told(look, repeated, curve(series("loss", values)))
    assert found.get("batch-noise") == outcome
    assert ("loss-suspiciously-low" in found) == (outcome == "none")


def test_an_epoch_of_two_digits_keeps_every_loss() -> None:
    reader = Steps()
    reader.read("  Num Epochs = 1")
    reader.read("  Total optimization steps = 20,000")
    lines = [f"{{'loss': {6 - n / 10}, 'epoch': {n * 10 / 20000:.2f}}}" for n in range(1, 45)]
    steps = [step.number for step in map(reader.read, lines) if step]
    assert len(steps) == len(set(steps)) == 44
    assert steps == sorted(steps)


@pytest.mark.parametrize(
    ("bad", "after", "told"),
    [
        ([10.0, 8.9, *[8.4] * 8], 60, True),  # it ends as suddenly as it began
        ([10.0, 9.0, 8.0, 7.4, 7.0, 6.6, 6.3, 6.1, 5.9, 5.8], 60, False),  # it heals
        ([10.0, 8.9], 60, False),  # a batch or two
        ([6.5, 7.4, *[8.6] * 8], 60, False),  # it climbed
    ],
)
def test_a_stretch_of_other_data(look: Any, bad: list[float], after: int, told: bool) -> None:
    """It is not made good by what follows, as a spike of the optimizer is."""
    values = (
        [5.0 + 0.1 * (n % 3) for n in range(50)] + bad + [4.6 + 0.1 * (n % 3) for n in range(after)]
    )
    seen = look({}, thresholds={"jump-ratio": 1.5, "recovers-steps": 50})
    found = jumps.jumps(seen, list(range(len(values))), values)
    assert bool(jumps.troubling(found)) == told
