"""Validation, resume, speed, start, experts and utilisation: what shows, and what stays silent."""

from __future__ import annotations

import math
import random
from functools import lru_cache
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.curve import experts, gap, rate, resume, resumed_rate, speed, start, utilisation

from medic.facts import Curve, Gpu, GpuState, Series
from medic.index.knowledge import load
from medic.probe import Finding, Skip
from medic.run_config import Origin, RunConfig, Value

QUIET = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@lru_cache(maxsize=1)
def thresholds() -> dict[str, float]:
    return {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}


def series(name: str, values: list[float], steps: list[int] | None = None) -> Series:
    at = steps or list(range(1, len(values) + 1))
    return Series(name, "metrics.jsonl", tuple(at), tuple(values), tuple(at), 0)


def curve(*found: Series, **more: Any) -> Curve:
    named = {s.name: s for s in found}
    return Curve(named, {0: named}, **more)


def told(look: Any, module: ModuleType, *facts: Any, **more: Any) -> dict[str, str]:
    seen = look(facts=list(facts), thresholds=thresholds())
    for name, value in more.items():
        setattr(seen, name, value)
    return {f.name: f.outcome for f in module.run(seen) if isinstance(f, Finding)}


def falling(rng: random.Random, n: int, noise: float = 0.03) -> list[float]:
    return [(2.0 + 6.0 * math.exp(-i / 80)) * math.exp(rng.gauss(0, noise)) for i in range(n)]


# --- validation ---------------------------------------------------------------------------------


def test_a_validation_loss_that_turns_up(look: Any) -> None:
    train = series("loss", [2.5 - 0.003 * i for i in range(500)])
    at = list(range(25, 501, 25))
    held = [2.2 - 0.05 * min(n, 8) + 0.06 * max(0, n - 8) for n in range(len(at))]
    found = told(look, gap, curve(train, series("eval_loss", held, at)))
    assert found == {"validation-gap": "validation-turns-up", "validation-loss-rises": "present"}


def test_a_validation_loss_far_below_training(look: Any) -> None:
    train = series("loss", [2.0] * 200)
    found = told(look, gap, curve(train, series("eval_loss", [1.2] * 8, list(range(25, 201, 25)))))
    assert found["validation-gap"] == "validation-better"
    assert found["loss-suspiciously-low"] == "absent"
    held = series("eval_loss", [0.9] * 8, list(range(25, 201, 25)))
    assert told(look, gap, curve(train, held))["loss-suspiciously-low"] == "present"


@given(st.integers(0, 10**6), st.integers(8, 60), st.floats(0.0, 0.03))
@QUIET
def test_noise_of_validation_is_no_turn(look: Any, seed: int, evals: int, noise: float) -> None:
    rng = random.Random(seed)
    values = falling(rng, evals * 10)
    at = list(range(10, evals * 10 + 1, 10))
    clean = [2.05 + 6.0 * math.exp(-s / 80) for s in at]
    held = [v * math.exp(rng.gauss(0, noise)) for v in clean]
    found = told(look, gap, curve(series("loss", values), series("eval_loss", held, at)))
    assert found.get("validation-gap", "usual") == "usual"


def stairs(levels: list[float], each: int = 30) -> list[float]:
    return [v + 0.012 * (i % 3) for v in levels for i in range(each)]


@pytest.mark.parametrize(
    ("levels", "held", "outcome"),
    [
        ([1.52, 1.01, 0.43], [1.49, 1.55, 1.91], "validation-turns-up"),
        ([1.52, 1.01, 0.43, 0.2], [1.6, 1.49, 1.55, 1.91], "validation-turns-up"),
        ([1.52, 1.01, 0.43], [1.49, 1.55, 1.60], None),  # as a third pass does
        ([1.52, 1.01, 0.43], [1.49, 1.70, 1.66], None),
        ([1.52, 1.50, 1.49], [1.49, 1.55, 1.91], None),  # no stairs
        ([1.52, 0.43], [1.49, 1.91], None),
    ],
)
def test_few_evaluations_that_climb_by_stairs(
    look: Any, levels: list[float], held: list[float], outcome: str | None
) -> None:
    at = [30 * (n + 1) for n in range(len(held))]
    seen = curve(series("loss", stairs(levels)), series("eval_loss", held, at))
    assert told(look, gap, seen).get("validation-gap") == outcome


def test_a_loss_that_falls_all_along_has_no_stairs(look: Any) -> None:
    train = [3.0 * math.exp(-i / 60) for i in range(90)]
    seen = curve(series("loss", train), series("eval_loss", [1.4, 1.5, 1.7], [30, 60, 90]))
    assert "validation-gap" not in told(look, gap, seen)


# --- resume -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (lambda v: v, "none"),
        (lambda v: v + 0.8, "higher-then-recovers"),
        (lambda v: v - 0.7, "lower-than-before"),
        (lambda _: 7.9, "back-to-initial"),
    ],
)
def test_the_loss_after_a_restart(look: Any, after: Any, outcome: str) -> None:
    values = falling(random.Random(1), 400, 0.01)
    old = series("loss", values[300:], list(range(301, 401)))
    new = [*values[:300], *[after(v) for v in values[300:]]]
    found = told(look, resume, curve(series("loss", new), replaced=(old,), resumed_at=(301,)))
    assert found["resume-difference"] == outcome
    assert found["resume-jumps"] == ("absent" if outcome == "none" else "present")


def test_a_warmup_that_runs_again(look: Any) -> None:
    values = falling(random.Random(1), 400, 0.01)
    rates = [1e-4] * 300 + [1e-6 * n for n in range(1, 101)]
    old = series("loss", values[300:], list(range(301, 401)))
    seen = curve(series("loss", values), series("learning_rate", rates), replaced=(old,))
    # Losses of the same steps are there: the rate's own probe tells the difference.
    assert [*resume.run(look(facts=[seen], thresholds=thresholds()))] == []
    found = told(look, resumed_rate, seen)
    assert found["resume-difference"] == "rate-restarts"
    assert "rate-after-resume" not in found  # the run began at another rate


def test_losses_of_too_few_steps_are_not_compared(look: Any) -> None:
    old = series("loss", [2.0, 2.0], [301, 302])
    seen = curve(series("loss", [2.0] * 400), replaced=(old,))
    (skip,) = resume.run(look(facts=[seen], thresholds=thresholds()))
    assert isinstance(skip, Skip)
    assert skip.check == "resume-difference"


@pytest.mark.parametrize(
    ("rates", "skipped"), [([-1e-4] * 20, True), ([0.0] * 20, False), ([1e-4] * 20, False)]
)
def test_a_rate_below_zero_is_none(look: Any, rates: list[float], skipped: bool) -> None:
    seen = curve(series("loss", [2.0] * 20), series("learning_rate", rates))
    found = [*rate.run(look(facts=[seen], thresholds=thresholds()))]
    assert any(isinstance(one, Skip) for one in found) is skipped


@given(st.integers(0, 10**6), st.floats(0.005, 0.1))
@QUIET
def test_noise_is_no_jump_after_a_restart(look: Any, seed: int, noise: float) -> None:
    rng = random.Random(seed)
    first, second = falling(rng, 400, noise), falling(rng, 400, noise)
    old = series("loss", first[300:], list(range(301, 401)))
    seen = curve(series("loss", [*first[:300], *second[300:]]), replaced=(old,))
    assert told(look, resume, seen)["resume-difference"] == "none"


# --- speed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [60, 120, 170])
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_two_levels_of_speed_part_at_their_step(look: Any, at: int, noise: float) -> None:
    rng = random.Random(3)
    values = [(410.0 if i < at else 205.0) * math.exp(rng.gauss(0, noise)) for i in range(200)]
    seen = look(facts=[curve(series("tokens_per_s", values))], thresholds=thresholds())
    found = next(f for f in speed.run(seen) if f.name == "slow-onset")
    assert found.outcome == "suddenly"
    assert abs(found.value["step"] - (at + 1)) <= 1


@pytest.mark.parametrize(
    ("factor", "outcome"),
    [
        (lambda n: 1.0 if n < 250 else 0.5, "suddenly"),
        (lambda n: 1.0 - n / 1000, "gradually"),
        (lambda n: 0.04 if n % 50 == 0 else 1.0, "at-intervals"),
        (lambda n: 0.6 if n < 10 else 1.0, "none"),
    ],
)
def test_how_the_speed_falls(look: Any, factor: Any, outcome: str) -> None:
    rng = random.Random(2)
    values = [1e5 * factor(n) * rng.gauss(1, 0.03) for n in range(500)]
    for name, shown in (("tokens_per_s", values), ("step_time", [1e5 / v for v in values])):
        found = told(look, speed, curve(series(name, shown)))
        assert found["slow-onset"] == outcome
        drops = outcome in ("suddenly", "gradually")
        assert found["throughput-drops"] == ("present" if drops else "absent")


@pytest.mark.parametrize(
    ("name", "usual", "last", "outcome"),
    [
        ("step_time", 0.0134, 80.1, "last-step"),
        ("step_time", 2.0, 30.0, "none"),  # an evaluation
        ("step_time", 0.01, 5.0, "none"),  # seconds are a save of a tiny model
        ("tokens_per_s", 318777.0, 51.0, "last-step"),
    ],
)
def test_a_last_step_that_took_far_longer(
    look: Any, name: str, usual: float, last: float, outcome: str
) -> None:
    found = told(look, speed, curve(series(name, [*[usual] * 21, last])))
    assert found == {"slow-onset": outcome, "throughput-drops": "absent"}


@given(st.integers(0, 10**6), st.integers(40, 600), st.floats(0.0, 0.15), st.floats(0.0, 0.05))
@QUIET
def test_jitter_is_no_drop(look: Any, seed: int, n: int, noise: float, hiccups: float) -> None:
    rng = random.Random(seed)
    values = [
        1e5 * math.exp(rng.gauss(0, noise)) * (0.3 if rng.random() < hiccups else 1.0)
        for _ in range(n)
    ]
    found = told(look, speed, curve(series("tokens_per_s", values)))
    assert found.get("throughput-drops", "absent") == "absent"


# --- start and zeros ----------------------------------------------------------------------------


def config(**values: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("given")) for k, v in values.items()})


@pytest.mark.parametrize(
    ("first", "base", "outcome"),
    [
        (14.0, None, "above-random"),
        (10.4, "a-model", "near-random"),
        (10.4, None, "as-expected"),
        (1.4, "a-model", "as-expected"),
        (5.0, "a-model", None),
        (1.4, None, None),
    ],
)
def test_the_first_loss(look: Any, first: float, base: str | None, outcome: str | None) -> None:
    stated = {"vocab_size": 32_000, **({"base_model": base} if base else {})}
    seen = curve(series("loss", [first - 0.001 * n for n in range(50)]))
    assert told(look, start, seen, config(**stated)).get("start-level") == outcome


@pytest.mark.parametrize(
    ("first", "last", "stated", "outcome"),
    [
        (11.7, 8.3, {"base_model": "a-model"}, "near-random"),
        (9.6, 7.7, {"base_model": "a-model", "vocab_size": 128_256}, "near-random"),
        (9.6, 1.9, {"base_model": "a-model"}, None),  # new tokens, learned soon
        (11.7, 8.3, {}, None),  # it may be a new model
        (14.5, 9.0, {"base_model": "a-model"}, None),  # above any guess: summed, or worse
        (12.0, 8.0, {"base_model": "a-model", "gradient_accumulation_steps": 8}, None),
        (6.0, 5.0, {"base_model": "a-model"}, None),
        (11.7, 8.3, {"base_model": "a-model", "resume_from": "out/checkpoint-10"}, None),
    ],
)
def test_trained_weights_that_know_nothing(
    look: Any, first: float, last: float, stated: dict[str, Any], outcome: str | None
) -> None:
    """Whatever the vocabulary, and where it is known."""
    seen = curve(series("loss", [last + (first - last) * math.exp(-n / 20) for n in range(80)]))
    assert told(look, start, seen, config(**stated)).get("start-level") == outcome


@pytest.mark.parametrize(
    ("norm", "outcome"),
    [(math.nan, "gradient-nan"), (0.0, "gradient-zero"), (1.0, "gradient-constant")],
)
def test_losses_that_are_exactly_zero(look: Any, norm: float, outcome: str) -> None:
    seen = curve(
        series("loss", [2.0] * 20 + [0.0] * 20), series("grad_norm", [0.5] * 20 + [norm] * 20)
    )
    found = told(look, start, seen)
    assert found["loss-is-zero"] == "present"
    assert found["zero-loss-gradient"] == outcome


def test_a_loss_that_comes_near_zero_is_none(look: Any) -> None:
    seen = curve(series("loss", [0.5 / (n + 1) for n in range(50)]))
    assert told(look, start, seen)["loss-is-zero"] == "absent"


# --- experts and utilisation --------------------------------------------------------------------


def test_the_load_of_the_experts(look: Any) -> None:
    for level, outcome in ((3.0, "present"), (1.2, "absent")):
        found = told(look, experts, curve(series("expert_ratio", [level] * 40)))
        assert found["experts-unbalanced"] == outcome
    early = [4.0] * 10 + [1.2] * 40
    assert (
        told(look, experts, curve(series("expert_ratio", early)))["experts-unbalanced"] == "absent"
    )
    violation = curve(series("expert_violation", [1.5] * 40))
    assert told(look, experts, violation)["experts-unbalanced"] == "present"


H100 = SimpleNamespace(name="h100-80g", says=("h100",), bf16_flops=989e12)


@pytest.mark.parametrize(("seconds", "outcome"), [(1.0, "usual"), (6.0, "low")])
def test_utilisation_by_arithmetic(look: Any, seconds: float, outcome: str) -> None:
    stated = config(
        parameters=7_000_000_000, global_batch_tokens=65_536, world_size=8, num_layers=32,
        hidden_size=4096, sequence_length=4096,
    )  # fmt: skip
    state = GpuState((Gpu(0, "NVIDIA H100 80GB HBM3"),), "nvidia-smi.txt")
    seen = curve(series("step_time", [seconds] * 20))
    found = told(look, utilisation, seen, stated, state, gpus=(H100,))
    assert found == {"model-flops-utilisation": outcome}


def test_utilisation_needs_the_card(look: Any) -> None:
    seen = look(facts=[curve(series("step_time", [1.0] * 20)), config()], thresholds=thresholds())
    (skip,) = utilisation.run(seen)
    assert isinstance(skip, Skip)
    assert "nvidia-smi" in skip.needs.en
    assert "step time" not in skip.needs.en  # that is known
