"""A schedule that begins anew where no step is logged and no line says so."""

from __future__ import annotations

import math
from typing import Any

import pytest
from medic.probes.curve import rate
from medic.probes.logs.steps import Steps

from medic.facts import Counted
from tests.probes.test_curve_more import curve, series, told


def cosine(at: float, peak: float = 2e-4, warm: float = 0.05) -> float:
    if at < warm:
        return peak * at / warm
    return peak / 2 * (1 + math.cos(math.pi * min(1.0, (at - warm) / (1 - warm))))


ONCE = [cosine(n / 100) for n in range(1, 101)]
WARMED_AGAIN = ONCE[:60] + [cosine(n / 100) for n in range(1, 41)]
AT_THE_PEAK = ONCE[:60] + [cosine(0.05 + n / 100) for n in range(1, 41)]
HIGHER = ONCE[:60] + [3 * r for r in ONCE[60:]]
CYCLES = [cosine(n % 40 / 40, warm=0.0) for n in range(120)]
ONE_RESTART = [cosine(n % 60 / 60, warm=0.0) for n in range(120)]
SECOND_STAGE = ONCE + [cosine(n / 100, peak=5e-5) for n in range(1, 101)]


@pytest.mark.parametrize(
    ("rates", "again"),
    [
        (WARMED_AGAIN, True),
        (AT_THE_PEAK, True),
        (ONCE, False),
        (CYCLES, False),
        (ONE_RESTART, False),  # from the bottom of a cycle
        (SECOND_STAGE, False),
        ([2e-4] * 60 + WARMED_AGAIN[:40], False),  # it did not decay yet
    ],
)
def test_a_rate_that_is_at_its_peak_again_in_mid_decay(
    look: Any, rates: list[float], again: bool
) -> None:
    loss = [1.2 + 2 * math.exp(-n / 20) for n in range(len(rates))]
    seen = curve(series("learning_rate", rates), series("loss", loss))
    found = told(look, rate, seen)
    assert (found["learning-rate-shape"] == "rises-again") is again


@pytest.mark.parametrize(
    ("line", "loss"),
    [
        ("Epoch 12 | train loss 1.2345 | val loss 1.3 | lr 2.00e-04 | 612.3s", 1.2345),
        ("loss=2.1300 lr=2.400e-04 tok/s=41230", 2.13),
        ("INFO loss: 2.13, grad_norm: 0.8, lr: 2.4e-04", 2.13),
        ("the loss is 2.3 at lr 1e-4", None),
        ("best loss 1.2 lr 2e-4", None),
        ("loss 2.3", None),
        ("We saw loss 2.3 with lr 1e-4, then loss 2.9", None),
    ],
)
def test_a_row_without_a_step_is_counted_and_a_sentence_is_none(
    line: str, loss: float | None
) -> None:
    step = Steps().read(line)
    assert (step.values["loss"] if step else None) == loss
    assert step is None or Counted.is_count(step.number)


def test_a_summary_beside_steps_is_no_row() -> None:
    steps = Steps()
    assert steps.read("step 40/100 loss 2.1 lr 1e-4") is not None
    assert steps.read("Epoch 1 | train loss 2.2 | val loss 2.3 | lr 1e-4") is None
