"""What numbers of a curve prove: each with a twin that looks alike and proves nothing."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from medic.probes.curve import (
    clip_numbers,
    constant,
    eval_nan,
    loss,
    norm_growth,
    rate,
    reach,
    resumed_rate,
)

from medic.run_config import Origin, RunConfig, Span, Value
from tests.probes.test_curve_more import curve, falling, series, told

OWN = Origin("file", Span("train.yaml", 0, 1, 1, 1, 1, 1))


def config(**fields: Any) -> RunConfig:
    return RunConfig({name: Value(value, OWN) for name, value in fields.items()})


def rates(peak: float, count: int, warmup: int = 10) -> list[float]:
    return [peak * min(1.0, n / warmup) for n in range(1, count + 1)]


@pytest.mark.parametrize(
    ("peak", "start", "more", "outcome"),
    [
        (1e-7, math.log(32000), {}, "too-small"),
        (3e-4, math.log(32000), {}, "enough"),
        (1e-7, 1.4, {}, None),  # a tuned model: small steps may be meant
        (1e-7, math.log(32000), {"optimizer": "sgd"}, None),
        (1e-7, math.log(32000), {"resume_from": "out/checkpoint-9"}, None),
    ],
)
def test_how_far_the_rates_reach(
    look: Any, peak: float, start: float, more: Any, outcome: str | None
) -> None:
    seen = curve(series("loss", [start] * 100), series("learning_rate", rates(peak, 100)))
    found = told(look, reach, seen, config(vocab_size=32000, **more))
    assert found.get("rate-reach") == outcome


@pytest.mark.parametrize(
    ("value", "warmup", "shape"),
    [
        (3e-5, 10, "stuck-at-start"),
        (0.0, 10, "zero-throughout"),
        (6e-5, 10, "stuck-at-start"),
        (1.1e-4, 10, "never-rises"),  # constant and low, but no value of the warmup's start
        (3e-4, 10, "as-usual"),
    ],
)
def test_a_scheduler_that_is_never_stepped(
    look: Any, value: float, warmup: int, shape: str | None
) -> None:
    seen = curve(series("loss", [3.0] * 100), series("learning_rate", [value] * 100))
    plan = config(learning_rate=3e-4, warmup_steps=warmup, total_steps=100)
    assert told(look, rate, seen, plan).get("learning-rate-shape") == shape


def cosine(end: int, count: int) -> list[float]:
    shares = [min(1.0, n / end) for n in range(count)]
    return [3e-5 + 2.7e-4 * 0.5 * (1 + math.cos(math.pi * s)) for s in shares]


@pytest.mark.parametrize(
    ("end", "fields", "outcome"),
    [
        (50, {"gradient_accumulation_steps": 4}, "more-than-once"),
        (25, {"world_size": 8}, "more-than-once"),
        (60, {"gradient_accumulation_steps": 4}, None),
        (50, {"gradient_accumulation_steps": 1, "world_size": 2}, None),
    ],
)
def test_a_schedule_that_runs_through_in_a_fraction(
    look: Any, end: int, fields: Any, outcome: str | None
) -> None:
    seen = curve(series("loss", [3.0] * 200), series("learning_rate", cosine(end, 200)))
    plan = config(learning_rate=3e-4, min_learning_rate=3e-5, total_steps=200, **fields)
    assert told(look, rate, seen, plan).get("scheduler-calls") == outcome


@pytest.mark.parametrize(
    ("grow", "present"),
    [
        (lambda n, r: 0.4 * n, True),
        (lambda n, r: 0.4 * (1 + n / 200) * math.exp(r.gauss(0, 0.2)), False),
        (lambda n, r: 0.4 * math.exp(r.gauss(0, 1.5)), False),
        (lambda n, r: 30.0 / n + 0.3, False),
    ],
)
def test_norms_that_grow_without_end(look: Any, grow: Any, present: bool) -> None:
    chance = random.Random(2)
    norms = [grow(n, chance) for n in range(1, 201)]
    seen = curve(series("loss", falling(chance, 200)), series("grad_norm", norms))
    assert told(look, norm_growth, seen) == {
        "gradient-norm-grows": "present" if present else "absent",
        "norm-growth": "without-end" if present else "steady",
    }


def test_norms_that_follow_a_loss_that_rises_are_no_growth_of_their_own(look: Any) -> None:
    norms = series("grad_norm", [0.4 * n for n in range(1, 201)])
    rising = series("loss", [2.0 + 0.01 * n for n in range(200)])
    assert told(look, norm_growth, curve(rising, norms))["norm-growth"] == "steady"
    scale = series("loss_scale", [2.0 ** (n // 50) for n in range(200)])
    falls = series("loss", falling(random.Random(1), 200))
    assert told(look, norm_growth, curve(falls, norms, scale))["norm-growth"] == "steady"


@pytest.mark.parametrize(
    ("end", "vocabulary", "outcome"),
    [(9.55, 32000, "softmax-floor"), (4.7, 256, "softmax-floor"), (9.0, 32000, None)],
)
def test_a_softmax_before_the_loss(
    look: Any, end: float, vocabulary: int, outcome: str | None
) -> None:
    begin = math.log(vocabulary)
    values = [end + (begin - end) * math.exp(-n / 30) for n in range(400)]
    found = told(look, loss, curve(series("loss", values)), config(vocab_size=vocabulary))
    assert found.get("plateau-level") == outcome
    assert found["loss-plateau"] == ("present" if outcome else "absent")


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ([5.558716, 5.558716, 5.558716], "same-number"),
        ([5.56, 5.56, 5.56], "moves"),  # too few digits
        ([5.558716, 5.558717, 5.558716], "moves"),
        ([5.558716, 5.558716], None),
        ([math.nan, math.nan, math.nan], "moves"),
    ],
)
def test_evaluations_that_never_move(look: Any, values: list[float], outcome: str | None) -> None:
    held = series("eval_loss", values, [20 * (n + 1) for n in range(len(values))])
    assert told(look, constant, curve(held)).get("loss-exactly-constant") == outcome


@pytest.mark.parametrize(
    ("after", "again"), [(rates(3e-4, 60), True), ([2e-6 * n for n in range(1, 61)], False)]
)
def test_rates_of_the_first_steps_again(look: Any, after: list[float], again: bool) -> None:
    before = rates(3e-4, 100, 50)
    restart = rates(3e-4, 60, 50) if again else after
    values = falling(random.Random(1), 160)
    old = series("loss", values[100:], list(range(101, 161)))
    seen = curve(series("loss", values), series("learning_rate", before + restart), replaced=(old,))
    found = told(look, resumed_rate, seen)
    assert found["resume-difference"] == "rate-restarts"
    assert ("rate-after-resume" in found) is again


@pytest.mark.parametrize(("scale", "outcome"), [(65536.0, "still-scaled"), (1.0, "unscaled")])
def test_norms_that_carry_the_scale(look: Any, scale: float, outcome: str) -> None:
    norms = [90000.0 + 10 * n if scale > 1 else 1.3 for n in range(40)]
    seen = curve(series("grad_norm", norms), series("loss_scale", [scale] * 40))
    assert told(look, clip_numbers, seen, config(gradient_clip=1.0))["logged-norm-scale"] == outcome


@pytest.mark.parametrize(
    ("losses", "rates_", "shape"),
    [
        ([2.3] * 60, [0.0] * 60, "zero-throughout"),
        ([2.3 - 0.01 * n for n in range(60)], [0.0] * 60, None),  # few digits are shown
        ([2.3] * 15, [0.0] * 15, None),  # a loss scale that is still sought
        ([2.3] * 60, [1e-3] * 30 + [0.0] * 30, "reaches-floor-early"),
        ([2.3] * 60, [1e-3 * (1 - n / 59) for n in range(60)], "as-usual"),
    ],
)
def test_a_rate_of_zero(
    look: Any, losses: list[float], rates_: list[float], shape: str | None
) -> None:
    seen = curve(series("loss", losses), series("learning_rate", rates_))
    assert told(look, rate, seen).get("learning-rate-shape") == shape


@pytest.mark.parametrize(
    ("train", "held", "outcome"),
    [
        ([2.0] * 20, [1.9, math.nan], "present"),
        ([2.0] * 20, [1.9, 1.8], "absent"),
        ([2.0] * 19 + [math.nan], [1.9, math.nan], "absent"),  # training broke as well
        ([0.0] * 15 + [2.0] * 5, [1.9, math.nan], "absent"),  # it counts no token
        ([0.0] * 5 + [2.0] * 15, [1.9, math.nan], "present"),
    ],
)
def test_a_validation_loss_of_nan(
    look: Any, train: list[float], held: list[float], outcome: str
) -> None:
    seen = curve(series("loss", train), series("eval_loss", held, [10, 20]))
    assert told(look, eval_nan, seen)["eval-loss-nan"] == outcome
