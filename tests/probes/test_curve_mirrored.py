"""A cosine past its end: the rate comes back the way it fell."""

from __future__ import annotations

import math
from typing import Any

import pytest
from medic.probes.curve import rate
from medic.probes.curve.mirrored import turn

from medic.facts import Curve, Series
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Span, Value


def cosine(length: int, count: int, warmup: int = 0, peak: float = 1e-3) -> list[float]:
    """torch's closed form, behind a linear warmup; it goes on past its length."""
    rise = [peak * (n + 1) / warmup for n in range(warmup)]
    span = length - warmup
    return rise + [peak * (1 + math.cos(math.pi * n / span)) / 2 for n in range(count - warmup)]


LINEAR = [1e-3 - 5e-5 * n for n in range(20)] + [5e-5 * n for n in range(20)]


@pytest.mark.parametrize(
    ("values", "at"),
    [
        (cosine(60, 300), 60),
        (cosine(100, 200, 20), 100),
        (cosine(100, 120, 20), None),  # it hardly rises before the run ends
        (cosine(200, 200, 20), None),
        (cosine(100, 100, 10) + [1e-6] * 60, None),  # it stays at its floor
        (cosine(100, 100) + cosine(100, 100), None),  # warm restarts leap
        (LINEAR, None),  # a cycle of straight lines is one by design
        (cosine(60, 60) + [5e-5 * n for n in range(1, 21)], None),  # warmed up anew
    ],
)
def test_where_a_cosine_turns(values: list[float], at: int | None) -> None:
    found = turn(range(1, len(values) + 1), values)
    assert (found and abs(found[0] - at) <= 1) if at is not None else found is None


@pytest.mark.parametrize(
    ("length", "settings", "calls"),
    [(100, {"world_size": 2}, "more-than-once"), (60, {"world_size": 2}, "once"), (100, {}, None)],
)
def test_why_it_turns(look: Any, length: int, settings: Any, calls: Any) -> None:
    values = cosine(length, 200, 20)
    steps = tuple(range(1, 201))
    series = Series("learning_rate", "m.jsonl", steps, tuple(values), steps, 0)
    own = Origin("file", Span("train.yaml", 0, 1, 1, 1, 1, 1))
    given = RunConfig({n: Value(v, own) for n, v in ({"total_steps": 200} | settings).items()})
    seen = look({}, facts=[Curve({"learning_rate": series}), given], thresholds={})
    found = {f.name: f.outcome for f in rate.PROBE.run(seen) if isinstance(f, Finding)}
    assert found["schedule-pace"] == "past-its-end"
    assert found.get("scheduler-calls") == calls
