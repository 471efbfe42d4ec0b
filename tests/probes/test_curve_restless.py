"""Losses that go up and down: by a period, or with leaps of the gradient norm."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from medic.probes.curve.periodic import swing_of

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load


def judged(folder: Path, rows: list[dict[str, float]]) -> Result:
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return judge(Labelled("run", folder=str(folder)), load())


def turns(every: int, wide: float, noise: float, falls: float = 0.0) -> list[float]:
    chance = random.Random(8)
    return [
        4 * math.exp(-falls * n) + wide * (-1) ** (n // every) + noise * chance.gauss(0, 1)
        for n in range(600)
    ]


@pytest.mark.parametrize(("every", "period"), [(1, 2), (3, 6), (25, 50)])
def test_a_period_of_a_loss_that_does_not_fall(every: int, period: int) -> None:
    found = swing_of(turns(every, 1.5, 0.2))
    assert found is not None
    assert found.period == period


@pytest.mark.parametrize(
    "losses",
    [
        turns(3, 0.0, 1.0),  # noise
        turns(3, 0.1, 0.02),  # hardly any swing
        turns(3, 1.0, 0.2, falls=0.0008),  # tasks that take turns, and are learned
        [4 + math.sin(n / 190) for n in range(600)],  # drifts
    ],
)
def test_no_period(losses: list[float]) -> None:
    assert swing_of(losses) is None


def test_a_period_is_a_fault_of_two_kinds(tmp_path: Path) -> None:
    rows = [{"step": n, "loss": v, "lr": 0.05} for n, v in enumerate(turns(3, 1.5, 0.2))]
    found = judged(tmp_path, rows)
    assert set(found.named[:2]) == {"learning-rate-too-high", "data-order-repeats"}


def spikes(times: int, leap: float, high: float) -> list[dict[str, float]]:
    """A spike of the loss ``high`` nats up, 5 rows of norms ``leap`` times as large, every 90 steps."""
    chance = random.Random(6)
    rows = []
    for n in range(1600):
        since = (n - 600) % 90 if n >= 600 and (n - 600) // 90 < times else 99
        loss = (
            4.3 + 6 * math.exp(-n / 150) + high * math.exp(-since / 8) + 0.03 * chance.gauss(0, 1)
        )
        norm = 0.5 * math.exp(0.25 * chance.gauss(0, 1)) * (leap if since < 5 else 1)
        rows.append({"step": n, "loss": loss, "grad_norm": norm, "lr": 3e-4})
    return rows


@pytest.mark.parametrize(
    ("times", "leap", "high", "seen"),
    [
        (8, 20, 1.8, True),
        (2, 20, 1.8, False),  # back by themselves
        (8, 3, 1.8, False),
        (8, 20, 0.05, False),  # clipped, and the loss feels none of it
    ],
)
def test_spikes_below_the_usual_height_with_leaps_of_the_norm(
    tmp_path: Path, times: int, leap: float, high: float, seen: bool
) -> None:
    found = judged(tmp_path, spikes(times, leap, high))
    assert (found.verdict in ("no-fault-seen", "healthy")) is not seen
