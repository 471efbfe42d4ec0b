"""Healthy runs of every usual kind show nothing; what only a log tells is not denied."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.curve import clipping, loss, memory, nan, rate, throughput

from medic.facts import Curve, Hit, LogHits, Series, Source, StepLine
from medic.index.knowledge import load
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Value

MODULES = (loss, nan, rate, memory, throughput, clipping)
KINDS = ("pretrain", "fine-tune", "small-batch", "stable-decay", "constant", "steps", "resumed")


@lru_cache(maxsize=1)
def thresholds() -> dict[str, float]:
    return {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}


def curve_of(steps: list[int], **metrics: list[float]) -> Curve:
    lines = tuple(range(1, len(steps) + 1))
    series = {
        name: Series(name, "metrics.jsonl", tuple(steps), tuple(values), lines, 0)
        for name, values in metrics.items()
    }
    return Curve(series, {0: series})


def config_of(**values: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("given")) for k, v in values.items() if v is not None})


def abnormal(look: Callable[..., Any], *facts: Any) -> set[str]:
    seen, checks = look(facts=list(facts), thresholds=thresholds()), load().checks
    found = set()
    for module in MODULES:
        for item in module.run(seen):
            if not isinstance(item, Finding):
                continue
            if item.name in checks:
                if not checks[item.name].outcomes[item.outcome].normal:
                    found.add(f"{item.name}={item.outcome}")
            elif item.outcome == "present":
                found.add(item.name)
    return found


def rate_at(kind: str, step: int, total: int, warmup: int, peak: float, floor: float) -> float:
    if step <= warmup:
        return peak * step / warmup
    share = (step - warmup) / max(total - warmup, 1)
    if kind == "constant":
        return peak
    if kind == "steps":
        return peak * (1.0 if share < 0.8 else 0.3 if share < 0.9 else 0.1)
    if kind == "stable-decay":
        return peak if share < 0.85 else floor + (peak - floor) * (1 - share) / 0.15
    return floor + (peak - floor) * 0.5 * (1 + math.cos(math.pi * share))


@given(
    st.sampled_from(KINDS),
    st.integers(0, 10**6),
    st.integers(40, 4000),
    st.sampled_from([1, 5, 10, 50]),
    st.sampled_from([0.0, 0.01, 0.03, 0.1]),
    st.sampled_from([0.0, 0.1]),
)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_healthy_runs_show_nothing(
    look: Any, kind: str, seed: int, total: int, every: int, warm: float, low: float
) -> None:
    rng = random.Random(seed)
    scratch = kind not in ("fine-tune", "small-batch")
    start = rng.uniform(6.0, 11.5) if scratch else rng.uniform(0.6, 2.2)
    end = start * (rng.uniform(0.25, 0.5) if scratch else rng.uniform(0.5, 0.95))
    noise = rng.uniform(0.002, 0.03) if scratch else rng.uniform(0.05, 0.2)
    noise = rng.uniform(0.2, 0.6) if kind == "small-batch" else noise
    # A fall between two logged steps is not seen: such a run looks like a plateau, and may be one.
    fall = max(total * rng.uniform(0.05, 0.4), 2.0 * every)
    peak, warmup = 3e-4, int(warm * total)
    first = total // 2 if kind == "resumed" else 0
    steps = [s for s in range(every, total + 1, every) if s > first]
    level = [end + (start - end) * math.exp(-s / fall) for s in steps]
    curve = curve_of(
        steps,
        loss=[v * math.exp(rng.gauss(0, noise)) for v in level],
        learning_rate=[rate_at(kind, s, total, warmup, peak, low * peak) for s in steps],
        grad_norm=[rng.lognormvariate(-0.5, 0.4) for _ in steps],
    ) if steps else Curve()  # fmt: skip
    config = config_of(
        total_steps=total,
        learning_rate=peak,
        warmup_steps=warmup or None,
        gradient_clip=1.0,
        min_learning_rate=low * peak or None,
        resume_from="ckpt" if kind == "resumed" else None,
    )
    if steps:
        assert not abnormal(look, curve, config, LogHits(ended="well"))


def told(text: str, symptom: str = "loss-nan") -> LogHits:
    source = Source("train.log", 40, 0, None, text)
    hit = Hit("any", symptom, "root", source, {}, (0.0, 0, 40))
    return LogHits(hits=(hit,), ended="badly", last_step=20)


def findings(look: Any, *facts: Any) -> dict[str, Finding]:
    seen = look(facts=list(facts), thresholds=thresholds())
    return {f.name: f for f in nan.run(seen) if isinstance(f, Finding)}


@pytest.mark.parametrize(
    ("logged", "step", "onset"),
    [(1, 1, "first-step"), (20, 23, "first-hundred-steps"), (20, 9000, "steady")],
)
def test_a_nan_that_only_the_log_tells(look: Any, logged: int, step: int, onset: str) -> None:
    steps = list(range(logged))
    curve = curve_of(steps, loss=[3.0] * logged, grad_norm=[0.5] * logged)
    found = findings(look, curve, told(f"RuntimeError: loss is NaN at step {step}"))
    assert found["nan-onset"].outcome == onset
    assert found["nan-onset"].source.line == 40
    assert "nan-gradient" not in found


def test_a_nan_in_a_line_that_names_no_step(look: Any) -> None:
    curve = curve_of(list(range(1, 21)), loss=[3.0] * 20)
    value = findings(look, curve, told("ValueError: the loss is nan"))["nan-onset"].value
    assert value["when"].en == "in this line"


def test_a_nan_that_finite_losses_follow_is_not_of_the_training_loss(look: Any) -> None:
    curve = curve_of(list(range(1, 21)), loss=[3.0] * 20)
    after = StepLine(20, {"loss": 3.0}, Source("train.log", 41))
    logs = replace(told("WARNING: NaN or Inf found in input tensor."), steps=(after,))
    assert not abnormal(look, curve, logs, config_of())
    named = replace(told("evaluation at step 10: got nan loss"), tail=())
    assert findings(look, curve, named)["nan-onset"].outcome == "not-nan"


@pytest.mark.parametrize(
    ("rates", "warmup", "outcome"),
    [
        ([1e-5 * s for s in range(1, 51)], None, "during-warmup"),
        ([3e-4 - 1e-6 * s for s in range(1, 51)], None, "steady"),
        (None, 60, "during-warmup"),
        (None, 20, "steady"),
        (None, 0, "steady"),
        (None, None, "first-hundred-steps"),
    ],
)
def test_the_onset_says_only_what_is_known_of_the_rate(
    look: Any, rates: list[float] | None, warmup: int | None, outcome: str
) -> None:
    more = {"learning_rate": rates} if rates else {}
    curve = curve_of(list(range(1, 51)), loss=[3.0] * 49 + [math.nan], **more)
    stated = {} if warmup is None else {"warmup_steps": Value(warmup, Origin("given"))}
    assert findings(look, curve, RunConfig(stated))["nan-onset"].outcome == outcome


@pytest.mark.parametrize(
    ("losses", "norms", "outcome"),
    [
        ([3.0, 3.0, math.nan], [0.9, 1.1, 0.0], "gradient-zero"),
        ([3.0, 3.0, math.nan, 3.0], [0.9, 1.1, 0.0, 1.0], "gradient-zero"),
        ([3.0, 3.0, math.nan, 3.0], [0.9, 1.1, 1.2, 1.0], "gradient-finite"),
        ([3.0, 3.0, math.nan], [0.9, 1.1, 1.2], "gradient-finite"),
        ([3.0, 3.0, math.nan], [1.0, 1.0, 1.0], None),
        ([3.0, 3.0, math.nan], [0.9, 1.1, 1.1], None),
        ([3.0, 3.0, math.nan], [0.0, 0.0, 0.0], None),
        ([3.0, 3.0, *[math.nan] * 9], [0.9, 1.1, *[1.02] * 9], "stays-nan"),
        ([3.0, 3.0, *[math.nan] * 9], [0.9, 1.1, *[0.0] * 9], "stays-nan"),
        ([3.0, 3.0, math.nan], [0.9, 1.1, -1.0], None),
        ([3.0, 3.0, math.nan], [0.9, 1.1, math.inf], "gradient-nan"),
    ],
)
def test_a_gradient_norm_counts_only_where_it_is_of_that_step(
    look: Any, losses: list[float], norms: list[float], outcome: str | None
) -> None:
    steps = list(range(148, 148 + len(losses)))
    found = findings(look, curve_of(steps, loss=losses, grad_norm=norms))
    assert (found["nan-gradient"].outcome if "nan-gradient" in found else None) == outcome


def test_a_nan_right_after_the_counter_went_back(look: Any) -> None:
    steps = list(range(1, 621))
    series = curve_of(steps, loss=[3.0] * 619 + [math.nan]).series
    found = findings(look, Curve(series, {0: series}, resumed_at=(610,)))
    assert found["nan-onset"].outcome == "after-resume"


def test_a_quoted_nan_is_none(look: Any) -> None:
    curve = curve_of(list(range(1, 21)), loss=[3.0] * 20)
    assert findings(look, curve, LogHits())["nan-onset"].outcome == "not-nan"


def test_an_averaged_loss_tells_no_rank_apart(look: Any) -> None:
    values = [3.0, 2.9, 2.8, math.nan]
    ranks = {r: curve_of([1, 2, 3, 4], loss=values).series for r in (0, 1)}
    found = findings(look, Curve(ranks[0], ranks))
    assert found["loss-nan"].outcome == "present"
    assert "nan-ranks" not in found


def test_a_peak_from_the_start_matters_only_where_the_loss_broke(look: Any) -> None:
    steps, rates = list(range(1, 61)), [1e-3] * 60
    calm = [6.0 - 0.02 * s for s in steps]
    broken = [*calm[:10], *[12.0] * 20, *calm[30:]]
    assert not abnormal(look, curve_of(steps, loss=calm, learning_rate=rates), config_of())
    found = abnormal(look, curve_of(steps, loss=broken, learning_rate=rates), config_of())
    assert "learning-rate-shape=at-peak-from-start" in found
    assert "loss-jump-timing=at-high-learning-rate" in found


@pytest.mark.parametrize(
    ("norms", "fires"),
    [
        ([0.3] * 20 + [math.nan] * 20, True),
        ([0.3] * 20 + [math.inf] * 12, True),
        ([math.nan] * 40, False),  # never measured
        ([math.inf] * 12 + [0.3] * 28, False),  # a loss scaler that finds its scale
        ([0.3] * 36 + [math.nan] * 4, False),
        (([0.3] * 9 + [math.inf]) * 4, False),
    ],
)
def test_gradients_that_stay_lost_are_told(
    look: Callable[..., Any], norms: list[float], fires: bool
) -> None:
    """The loss stays finite: the scaler skips every step, or the logger smooths it."""
    steps = list(range(1, len(norms) + 1))
    curve = curve_of(steps, loss=[2.0 - s / 100 for s in steps], grad_norm=norms)
    seen = look(facts=[curve], thresholds=thresholds())
    told = [f for f in nan.run(seen) if isinstance(f, Finding) and f.name == "loss-nan"]
    assert bool(told) == fires
    if fires:
        assert (told[0].value["step"], told[0].value["what"].en) == (21, "the gradient norm")
