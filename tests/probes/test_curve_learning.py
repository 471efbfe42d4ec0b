"""What curves tell of a run that learns the wrong thing, or not as it should."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from medic.probes.curve import accumulated, clip_numbers, clipping, gap, half, speed, start
from medic.probes.curve import curve as reading

from medic.facts import Curve, Series
from medic.index.knowledge import load
from medic.probe import Finding, Skip
from medic.run_config import Origin, RunConfig, Setting, Span, Value

THRESHOLDS = {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}
OWN = Origin("file", Span("train.yaml", 0, 1, 1, 1, 1, 1))
MODEL = Origin("file", Span("model/config.json", 0, 1, 1, 1, 1, 1), framework="hf-model")
JSON = Origin("file", Span("train_config.json", 0, 1, 1, 1, 1, 1), framework="hf-model")
Told = dict[str, Finding]


@pytest.fixture
def told(look: Callable[..., Any], tmp_path: Path) -> Callable[..., Told]:
    def ask(module: Any, rows: Sequence[dict[str, Any]], **fields: Any) -> Told:
        (tmp_path / "metrics.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
        values = {
            n: Value(v, OWN) for n, v in fields.items() if n not in ("model_hidden", "json_hidden")
        }
        if "json_hidden" in fields:
            values["hidden_size"] = Value(fields["json_hidden"], JSON)
        if "model_hidden" in fields:
            values["hidden_size"] = Value(fields["model_hidden"], MODEL)
        settings = (Setting(("model_type",), "llama", MODEL),) if "model_hidden" in fields else ()
        config = RunConfig(values, settings=settings)
        seen = look(facts=[config], thresholds=THRESHOLDS)
        curve = next(f for f in reading.run(seen) if isinstance(f, Curve))
        again = look(facts=[config, curve], thresholds=THRESHOLDS)
        return {f.name: f for f in module.run(again) if isinstance(f, Finding)}

    return ask


def course(train: Callable[[int], float], held: Callable[[int], float]) -> list[dict[str, Any]]:
    """100 steps, an evaluation at every tenth."""
    rows: list[dict[str, Any]] = []
    for step in range(1, 101):
        rows.append({"step": step, "loss": train(step)})
        if step % 10 == 0:
            rows.append({"step": step, "eval_loss": held(step)})
    return rows


def falling(step: int) -> float:
    return 2.0 + 3.5 * math.exp(-step / 30)


@pytest.mark.parametrize(
    ("held", "outcome"),
    [
        (lambda s: 5.5 + 0.01 * s, "validation-never-learned"),
        (lambda _: 5.55, "validation-constant"),
        (falling, "usual"),
        # By heart: better at first on both.
        (lambda s: 4.0 + 0.02 * abs(s - 30), "validation-turns-up"),
    ],
)
def test_validation_that_never_falls(told: Any, held: Any, outcome: str) -> None:
    found = told(gap, course(falling, held))
    assert found["validation-gap"].outcome == outcome
    never = found.get("validation-never-falls")
    present = never is not None and never.outcome == "present"
    assert present == outcome.startswith(("validation-never", "validation-constant"))


def test_a_first_evaluation_below_the_first_losses_has_learned(told: Any) -> None:
    """Few rows are logged before training has learned: the first of them is nearest to the begin."""
    train = course(lambda s: 0.01 + 4.1 * math.exp(-s / 15), lambda s: 2.47 + s / 12)
    rows = [{**row, "step": 10 * row["step"]} for row in train]
    assert told(gap, rows)["validation-gap"].outcome == "validation-turns-up"


@pytest.mark.parametrize(
    ("held", "rises"), [(lambda s: 5.5 + 0.01 * s, True), (lambda _: 5.55, False)]
)
def test_what_never_falls_may_rise_besides(told: Any, held: Any, rises: bool) -> None:
    found = told(gap, course(falling, held))
    assert ("validation-loss-rises" in found) is rises


def test_a_fine_tune_whose_validation_only_rises_is_no_wrong_label(told: Any) -> None:
    found = told(gap, course(lambda s: falling(s) - 1.9, lambda s: 1.6 + 0.01 * s))
    assert found["validation-gap"].outcome == "validation-turns-up"


def test_a_steep_fall_is_no_better_validation(told: Any) -> None:
    steep = [5.5 * math.exp(-s / 40) for s in range(101)]
    found = told(gap, course(lambda s: steep[s], lambda s: steep[s]))
    assert found["validation-gap"].outcome == "usual"


@pytest.mark.parametrize(("end", "present"), [(0.01, True), (1.5, False)])
def test_text_that_is_foretold_without_a_miss(told: Any, end: float, present: bool) -> None:
    def fall(step: int) -> float:
        return end + 5.5 * math.exp(-step / 12)

    found = told(gap, course(fall, fall))
    assert (found["loss-suspiciously-low"].outcome == "present") is present


@pytest.mark.parametrize(
    ("clip", "more", "outcome"),
    [
        (1e-8, {}, "far-beyond"),
        (1.0, {}, "usual"),
        (1.0, {"loss_scale": 65536.0}, "usual"),
        (1e-4, {"loss_scale": 65536.0}, None),  # the scale alone may be what is so large
        (1e-10, {"loss_scale": 65536.0}, "far-beyond"),
        (1.0, {"grad_norm": math.nan}, None),
    ],
)
def test_how_hard_gradients_are_clipped(
    told: Any, clip: float, more: Any, outcome: str | None
) -> None:
    rows = [{"step": n, "loss": 5.5, "grad_norm": 1.2 + 0.01 * n, **more} for n in range(12)]
    found = told(clip_numbers, rows, gradient_clip=clip).get("clip-ratio")
    assert (found.outcome if found is not None else None) == outcome


@pytest.mark.parametrize(("norms", "skipped"), [([1.0] * 4, True), ([1.0] * 5, False)])
def test_norms_too_few_or_unseen_are_told_as_not_looked_at(
    look: Any, norms: list[float], skipped: bool
) -> None:
    seen = [*norms, *[math.nan] * 40]
    count = range(1, len(seen) + 1)
    series = Series("grad_norm", "m.jsonl", tuple(count), tuple(seen), tuple(count))
    facts = [RunConfig({"gradient_clip": Value(1.0, OWN)}), Curve({"grad_norm": series})]
    told = [*clipping.run(look(facts=facts)), *clip_numbers.run(look(facts=facts))]
    skips = {f.check for f in told if isinstance(f, Skip)}
    assert skips == {"gradient-clipping-rises", *(["clip-ratio"] if skipped else [])}


def bf16(value: float) -> float:
    return float(struct.unpack("<f", b"\0\0" + struct.pack("<f", value)[2:])[0])


def test_gradients_in_bf16_show_in_their_digits(told: Any) -> None:
    chance = random.Random(3)
    norms = [chance.uniform(0.3, 2.0) for _ in range(30)]
    rows = [{"step": n, "loss": 2.0, "grad_norm": bf16(v)} for n, v in enumerate(norms)]
    assert told(half, rows)["gradient-precision"].outcome == "bf16"
    rows = [{"step": n, "loss": 2.0, "grad_norm": v} for n, v in enumerate(norms)]
    assert told(half, rows)["gradient-precision"].outcome == "wider"
    rows = [
        {"step": n, "loss": 2.0, "grad_norm": v if n < 15 else bf16(v)} for n, v in enumerate(norms)
    ]
    since = told(half, rows)["gradient-precision"]
    assert (since.outcome, since.value["step"]) == ("bf16-since-a-resume", 15)
    # Rounded for print: nothing can be said.
    rows = [{"step": n, "loss": 2.0, "grad_norm": round(v, 2)} for n, v in enumerate(norms)]
    assert "gradient-precision" not in told(half, rows)


@pytest.mark.parametrize(
    ("late", "points", "present"),
    [(0.29, 30, True), (0.29, 14, True), (0.7, 30, False), (1.0, 30, False)],
)
def test_a_fall_of_speed_in_few_points(told: Any, late: float, points: int, present: bool) -> None:
    chance = random.Random(points)
    rows = [
        {"step": n * 5, "loss": 2.0,
         "tokens_per_s": 40_000 * (late if n > points // 2 else 1.0) * chance.uniform(0.85, 1.15)}
        for n in range(points)
    ]  # fmt: skip
    found = told(speed, rows)
    assert (found["throughput-drops"].outcome == "present") is present


@pytest.mark.parametrize("seed", range(40))
def test_speed_that_only_scatters_is_no_fall(told: Any, seed: int) -> None:
    chance = random.Random(seed)
    rows = [
        {"step": n * 5, "loss": 2.0, "tokens_per_s": 40_000 * chance.uniform(0.25, 1.0)}
        for n in range(chance.randrange(13, 39))
    ]
    assert told(speed, rows)["throughput-drops"].outcome == "absent"


def test_steps_that_take_longer_and_longer(told: Any) -> None:
    rows = [{"step": n, "loss": 2.0, "step_time": 0.05 + 0.004 * n} for n in range(100)]
    assert told(speed, rows)["slow-onset"].outcome == "gradually"
    rows = [{"step": n, "loss": 2.0, "step_time": 0.1 if n < 50 else 0.3} for n in range(100)]
    assert told(speed, rows)["slow-onset"].outcome == "suddenly"


@pytest.mark.parametrize(
    ("metric", "late", "lengths", "outcome"),
    [
        ("tokens_per_s", 0.7, (4096, 32768), None),
        ("tokens_per_s", 0.6, (4096, 16384), None),
        ("step_time", 1 / 5, (4096, 16384), None),  # four times the tokens, and attention
        ("tokens_per_s", 0.2, (4096, 16384), "present"),  # more than attention can cost
        ("tokens_per_s", 0.7, (4096, 4096), "present"),
        ("tokens_per_s", 0.7, (32768, 4096), "present"),
        ("tokens_per_s", 1.0, (4096, 32768), "absent"),
    ],
)
def test_longer_sequences_explain_a_fall_of_speed(
    told: Any, metric: str, late: float, lengths: tuple[int, int], outcome: str | None
) -> None:
    chance = random.Random(1)
    rows = []
    for n in range(150):
        speed_now = (1.0 if n < 100 else late) * chance.uniform(0.97, 1.03)
        value = 1 / speed_now if metric == "step_time" else 400_000 * speed_now
        rows.append({"step": n * 20, "loss": 2.0, metric: value, "seq_len": lengths[n >= 100]})
    found = told(speed, rows)
    assert (found["throughput-drops"].outcome if "throughput-drops" in found else None) == outcome


def test_lengths_that_rose_long_before_or_differ_by_batch_explain_no_fall(told: Any) -> None:
    chance = random.Random(1)
    fell = [400_000 * (1.0 if n < 100 else 0.7) for n in range(150)]
    for lengths in (
        [4096 if n < 60 else 32768 for n in range(150)],
        [chance.choice((900, 2048, 4096)) for _ in range(150)],
    ):
        rows = [
            {"step": n * 20, "loss": 2.0, "tokens_per_s": v, "seq_len": lengths[n]}
            for n, v in enumerate(fell)
        ]
        assert told(speed, rows)["throughput-drops"].outcome == "present"


def first(loss: float) -> list[dict[str, Any]]:
    return [{"step": n, "loss": loss} for n in range(1, 6)]


@pytest.mark.parametrize(
    ("loss", "fields", "outcome"),
    [
        (22.0, {"hidden_size": 64}, "above-random-untrained"),
        (22.0, {"json_hidden": 64}, "above-random-untrained"),
        (22.0, {"model_hidden": 64}, "above-random"),  # trained or not is not told
        (22.0, {"hidden_size": 64, "base_model": "x"}, "above-random"),
        (5.6, {"hidden_size": 64}, "as-expected"),
    ],
)
def test_the_first_loss(told: Any, loss: float, fields: Any, outcome: str) -> None:
    found = told(start, first(loss), vocab_size=256, **fields)
    assert found["start-level"].outcome == outcome


def test_a_loss_that_blows_up_did_not_start_high(told: Any) -> None:
    rows = [{"step": n, "loss": v} for n, v in [(1, 5.6), (5, 280.0), (10, 90.0), (15, 70.0)]]
    found = told(start, rows, vocab_size=256, hidden_size=64)
    assert found["start-level"].outcome == "as-expected"


@pytest.mark.parametrize(
    ("loss", "steps", "outcome"),
    [(8 * math.log(256), 8, "exact-multiple"), (22.0, 1, "same"), (22.0, 8, None)],
)
def test_a_first_loss_times_the_accumulation(
    told: Any, loss: float, steps: int, outcome: str | None
) -> None:
    found = told(accumulated, first(loss), vocab_size=256, gradient_accumulation_steps=steps)
    assert (found["accumulation-factor"].outcome if "accumulation-factor" in found else None) == (
        outcome
    )


def beside(train: Sequence[float], held: float) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"step": n, "loss": v} for n, v in enumerate(train, 1)]
    return [*rows, {"step": len(train), "eval_loss": held}]


@pytest.mark.parametrize(
    ("train", "held", "fields", "present"),
    [
        ([18.4, 17.1, 16.99, 16.8], 2.101, {}, True),
        ([18.4, 17.1, 16.99, 16.8], 2.101, {"gradient_accumulation_steps": 8}, True),
        ([18.4, 17.1, 16.99, 16.8], 2.101, {"gradient_accumulation_steps": 4}, False),
        ([3.1, 3.02, 3.0, 2.98], 1.5, {"gradient_accumulation_steps": 2}, True),
        ([3.1, 3.02, 3.0, 2.98], 1.5, {}, False),  # other text may be twice as hard
        ([3.1, 3.02, 3.0, 2.98], 2.9, {"gradient_accumulation_steps": 2}, False),
        ([3.1, 3.02, 3.0, 2.98], 2.9, {"gradient_accumulation_steps": 1}, False),
        ([9.0, 7.0, 5.0, 3.0], 2.5, {"gradient_accumulation_steps": 2}, False),  # still falls
        ([3000.0, 3010.0, 3005.0], 2.1, {}, False),  # a sum over tokens
    ],
)
def test_a_training_loss_times_the_validation_loss(
    told: Any, train: list[float], held: float, fields: dict[str, Any], present: bool
) -> None:
    found = told(accumulated, beside(train, held), **fields)
    assert ("accumulation-factor" in found) is present
