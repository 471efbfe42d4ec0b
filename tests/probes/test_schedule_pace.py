"""How fast a schedule ran: what the warmup and the decay prove, and what they leave open."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.curve import clipping, rate

from medic.run_config import Origin, RunConfig, Span, Value
from tests.probes.test_curve_more import curve, series, told

OWN = Origin("file", Span("train.yaml", 0, 1, 1, 1, 1, 1))
PEAK, FLOOR, WARMUP, TOTAL = 3e-4, 3e-5, 20, 200
AT = list(range(5, TOTAL + 1, 5))


def config(**fields: Any) -> RunConfig:
    plan = {
        "learning_rate": PEAK,
        "min_learning_rate": FLOOR,
        "warmup_steps": WARMUP,
        "total_steps": TOTAL,
    }
    values = {n: Value(v, OWN) for n, v in (plan | fields).items() if v is not None}
    return RunConfig(values)


def planned(position: float, end: float = TOTAL, linear: bool = False) -> float:
    if position < WARMUP:
        return PEAK * position / WARMUP
    done = min(1.0, (position - WARMUP) / (end - WARMUP))
    share = done if linear else (1 - math.cos(math.pi * done)) / 2
    return PEAK - (PEAK - FLOOR) * share


def pace(look: Any, value: Callable[[int], float], **fields: Any) -> dict[str, str]:
    rates = series("learning_rate", [value(s) for s in AT], AT)
    return told(look, rate, curve(series("loss", [3.0] * len(AT), AT), rates), config(**fields))


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("factor", ["gradient_accumulation_steps", "world_size"])
def test_a_schedule_that_is_stepped_four_times_a_step(look: Any, linear: bool, factor: str) -> None:
    found = pace(look, lambda s: planned(4 * s, linear=linear), **{factor: 4})
    assert found["schedule-pace"] == "faster-throughout"
    assert found["learning-rate-not-as-set"] == "present"


def test_a_decay_of_a_quarter_is_no_faster_schedule(look: Any) -> None:
    found = pace(look, lambda s: planned(s, 50), gradient_accumulation_steps=4)
    assert found["schedule-pace"] == "decay-alone-short"
    assert "learning-rate-not-as-set" not in found


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        # A stage that holds its rate is by design, as a decay that begins late.
        (lambda s: planned(s, 50) if s < 30 else 1e-4 if s < 60 else FLOOR, {}),
        (lambda s: PEAK if WARMUP <= s < 80 else planned(s, 40), {}),
        # The warmup is not known, or went at a pace of its own.
        (lambda s: planned(s, 50), {"warmup_steps": None}),
        (lambda s: PEAK if s < WARMUP else planned(s, 50), {}),
        (lambda s: planned(s, 50), {"resume_from": "out/checkpoint-9"}),
        # To its end.
        (planned, {"gradient_accumulation_steps": 4}),
    ],
)
def test_what_proves_no_pace(look: Any, value: Callable[[int], float], fields: Any) -> None:
    assert "schedule-pace" not in pace(look, value, **fields)


@pytest.mark.parametrize(
    ("floor", "last", "climbs"),
    [(3e-3, 3e-3, True), (3e-3, PEAK, False), (FLOOR, 3e-3, False), (3e-3, 6e-3, False)],
)
def test_a_rate_that_climbs_to_its_floor(
    look: Any, floor: float, last: float, climbs: bool
) -> None:
    found = pace(
        look,
        lambda s: PEAK * min(1, s / WARMUP) + max(0, s - WARMUP) / 180 * (last - PEAK),
        min_learning_rate=floor,
    )
    assert (found["learning-rate-shape"] == "climbs-to-floor") is climbs
    assert ("learning-rate-not-as-set" in found) is climbs


@pytest.mark.parametrize(("warmup", "outcome"), [(0, "present"), (60, "absent")])
def test_norms_that_grow_in_the_warmup_alone(look: Any, warmup: int, outcome: str) -> None:
    norms = [0.5 if s <= 50 else 1.5 for s in range(1, 121)]
    seen = curve(series("loss", [3.0] * 120), series("grad_norm", norms))
    found = told(look, clipping, seen, config(gradient_clip=1.0, warmup_steps=warmup))
    assert found["gradient-clipping-rises"] == outcome


@pytest.mark.parametrize("start", [0, WARMUP])
@pytest.mark.parametrize("end", [TOTAL, 150])
def test_a_cosine_held_at_a_tenth_of_its_peak_is_no_short_decay(
    look: Any, start: int, end: int
) -> None:
    """``min(1, step / warmup) * max(0.1, cosine)``; one that is over at step 150 is short."""

    def value(step: int) -> float:
        done = min(1.0, max(0, step - start) / (end - start))
        return PEAK * min(1.0, step / WARMUP) * max(0.1, (1 + math.cos(math.pi * done)) / 2)

    found = pace(look, value)
    assert ("learning-rate-collapsed" in found) is (end != TOTAL)
    assert ("schedule-pace" in found) is (end != TOTAL)
