"""What curves show, and that healthy ones show nothing."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.curve import clip_numbers, clipping, loss, memory, nan, rate, throughput
from medic.probes.curve import curve as reading

from medic.facts import Curve, GpuSeries, LogHits, Source, StepLine
from medic.index.knowledge import load
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Value
from medic.session.sentences import finding_text

THRESHOLDS = {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}
Look = Callable[..., Any]
Rows = Sequence[dict[str, Any]]


def config(**values: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("given")) for k, v in values.items()})


def write(folder: Path, rows: Rows, name: str = "metrics.jsonl") -> None:
    (folder / name).write_text("\n".join(json.dumps(r) for r in rows) + "\n")


@pytest.fixture
def judge(look: Look, tmp_path: Path) -> Callable[..., dict[str, Finding]]:
    def call(rows: Rows | None, *facts: Any, **files: Rows) -> dict[str, Finding]:
        if rows is not None:
            write(tmp_path, rows)
        for name, more in files.items():
            write(tmp_path, more, f"metrics.{name}.jsonl")
        seen = look(facts=list(facts), thresholds=THRESHOLDS)
        curve = next(f for f in reading.run(seen) if isinstance(f, Curve))
        again = look(facts=[*facts, curve], thresholds=THRESHOLDS)
        found: dict[str, Finding] = {}
        for module in (loss, nan, rate, memory, throughput):
            found |= {f.name: f for f in module.run(again) if isinstance(f, Finding)}
        if any(isinstance(f, RunConfig) for f in facts):
            for module in (clipping, clip_numbers):
                found |= {f.name: f for f in module.run(again) if isinstance(f, Finding)}
        return found

    return call


def cosine(
    steps: int, total: int, peak: float = 3e-4, floor: float = 3e-5, warmup: int = 20
) -> list[float]:
    rates = []
    for s in range(1, steps + 1):
        if s <= warmup:
            rates.append(peak * s / warmup)
        else:
            x = min(1.0, (s - warmup) / max(1, total - warmup))
            rates.append(floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * x)))
    return rates


def healthy(
    steps: int, total: int, seed: int = 0, start: float = 10.8, noise: float = 0.05
) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    rates = cosine(steps, total)
    rows = []
    for i in range(steps):
        level = 2.2 + (start - 2.2) * math.exp(-4 * i / max(total, 1)) * (1 / (1 + i / 40) ** 0.2)
        rows.append(
            {
                "step": i + 1,
                "loss": level + rng.gauss(0, noise),
                "learning_rate": rates[i],
                "grad_norm": abs(rng.gauss(0.5, 0.1)),
                "step_time": 0.5,
                "mem_gib": 40.0,
            }
        )
    return rows


def abnormal(found: dict[str, Finding]) -> set[str]:
    checks = load().checks
    bad = set()
    for f in found.values():
        if f.name in checks:
            if not checks[f.name].outcomes[f.outcome].normal:
                bad.add(f"{f.name}={f.outcome}")
        elif f.outcome == "present":
            bad.add(f.name)
    return bad


@given(st.integers(30, 600), st.floats(0.1, 1.0), st.integers(0, 10**6), st.floats(0.0, 0.15))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_healthy_curves_show_nothing(
    judge: Any, total: int, share: float, seed: int, noise: float
) -> None:
    steps = max(12, int(total * share))
    rows = healthy(steps, max(total, steps), seed, noise=noise)
    assert not abnormal(judge(rows, config(total_steps=max(total, steps), learning_rate=3e-4)))


@given(st.integers(0, 10**6), st.floats(0.4, 1.6))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_noisy_fine_tune_shows_nothing(judge: Any, seed: int, start: float) -> None:
    rng = random.Random(seed)
    rows = [
        {
            "step": 10 * (i + 1),
            "loss": start * (1 - 0.2 * i / 60) + rng.gauss(0, 0.1),
            "learning_rate": 2e-5 * (1 - i / 60),
        }
        for i in range(60)
    ]
    assert not abnormal(judge(rows, config(total_steps=600))) - {
        "learning-rate-shape=at-peak-from-start"
    }


def test_a_nan_with_a_finite_gradient(judge: Any) -> None:
    rows = healthy(30, 300)
    rows[-1] |= {"loss": math.nan, "grad_norm": 0.0}
    found = judge(rows, config(total_steps=300, warmup_steps=20))
    assert found["nan-gradient"].outcome == "gradient-zero"
    assert found["nan-precursor"].outcome == "no-precursor"
    assert found["nan-onset"].outcome == "steady"
    assert found["loss-nan"].source.line == 30
    assert "NaN" in found["loss-nan"].source.text


def test_a_norm_that_overflowed_before_the_nan_was_not_as_usual(judge: Any) -> None:
    rows = healthy(60, 300)
    rows[57]["grad_norm"] = rows[58]["grad_norm"] = math.inf
    rows[59] |= {"loss": math.nan, "grad_norm": math.nan}
    found = judge(rows)
    assert "nan-precursor" not in found
    assert found["nan-gradient"].outcome == "gradient-nan"


def test_a_nan_after_growing_gradients(judge: Any) -> None:
    rows = healthy(60, 300)
    for i, norm in enumerate((0.9, 2.4, 16.0, 145.0)):
        rows[55 + i]["grad_norm"] = norm
    rows[59] |= {"loss": math.nan, "grad_norm": math.nan}
    found = judge(rows)
    assert found["nan-precursor"].outcome == "gradients-grew"
    assert found["nan-gradient"].outcome == "gradient-nan"


def test_a_zero_loss_with_a_nan_gradient_is_a_hidden_nan(judge: Any) -> None:
    rows = healthy(30, 300)
    rows[20] |= {"loss": 0.0, "grad_norm": math.nan}
    assert judge(rows)["loss-nan"].value["step"] == 21


def test_which_rank_was_first(judge: Any) -> None:
    first, second = healthy(30, 300), healthy(30, 300, seed=1)
    for row in second[19:]:
        row["loss"] = math.nan
    for row in first[24:]:
        row["loss"] = math.nan
    found = judge(None, rank0=first, rank1=second)
    assert found["nan-ranks"].outcome == "one-rank-first"
    assert found["nan-ranks"].value["rank"] == 1


def test_a_rate_at_its_floor_early(judge: Any) -> None:
    rows = healthy(300, 300)
    for row, value in zip(rows, cosine(300, 40, floor=0.0, warmup=10), strict=True):
        row["learning_rate"] = value
    for row in rows[40:]:
        row["loss"] = 4.8
    found = judge(rows, config(total_steps=300))
    assert found["learning-rate-shape"].outcome == "reaches-floor-early"
    assert found["learning-rate-collapsed"].value["step"] <= 41
    seen = load().symptoms["learning-rate-collapsed"].seen
    assert seen is not None
    told = seen.fill(found["learning-rate-collapsed"].value)
    assert "on (13% into the run)" in told.en
    assert "（全程 13% 处）" in told.zh
    assert found["loss-plateau"].outcome == "present"


def test_a_rate_that_never_rises(judge: Any) -> None:
    rows = [
        {"step": 5 * i, "loss": 5.57 + 0.003 * (i % 3), "learning_rate": 1e-8 * 5 * i}
        for i in range(1, 13)
    ]
    found = judge(rows, config(total_steps=60, learning_rate=1e-3, warmup_steps=100_000))
    assert found["learning-rate-shape"].outcome == "never-rises"
    assert found["loss-plateau"].outcome == "present"


def test_a_run_still_in_its_warmup_is_normal(judge: Any) -> None:
    rows = [{"step": i, "loss": 10.8 - 0.001 * i, "learning_rate": 1e-7 * i} for i in range(1, 80)]
    assert not abnormal(
        judge(rows, config(total_steps=100_000, learning_rate=3e-4, warmup_steps=2000))
    )


def test_a_jump_at_the_peak_without_warmup(judge: Any) -> None:
    rows = [
        {
            "step": i,
            "loss": 6.3 if i < 3 else max(6.1, 28 - 2 * (i - 3)),
            "learning_rate": 0.08,
            "grad_norm": 1.0 if i < 2 else 6.0,
        }
        for i in range(1, 120)
    ]
    found = judge(rows, config(total_steps=120, learning_rate=0.08, warmup_steps=0))
    assert found["loss-spike"].outcome == "present"
    assert found["loss-jump-timing"].outcome == "at-high-learning-rate"
    assert found["learning-rate-shape"].outcome == "at-peak-from-start"


def test_one_bad_batch_that_recovers_needs_no_action(judge: Any) -> None:
    rows = healthy(200, 400)
    rows[120]["loss"] *= 1.6
    found = judge(rows, config(total_steps=400))
    assert found["loss-spike"].outcome == "absent"
    assert found["loss-jump-timing"].outcome == "single-step"


def test_a_high_spike_that_is_over_needs_no_action_unless_it_recurs(judge: Any) -> None:
    rows = healthy(200, 400)
    for row in rows[120:125]:
        row["loss"] *= 3
    found = judge(rows, config(total_steps=400))
    assert found["loss-spike"].outcome == "absent"
    assert found["loss-jump-timing"].outcome == "recovered"
    for row in rows[160:165]:
        row["loss"] *= 3
    assert judge(rows, config(total_steps=400))["loss-spike"].outcome == "present"


def test_divergence(judge: Any) -> None:
    rows = healthy(200, 400)
    for i, row in enumerate(rows[120:]):
        row["loss"] = min(11.0, 6.0 + 0.2 * i)
    assert judge(rows, config(total_steps=400))["loss-diverges"].outcome == "present"


def test_memory_that_grows(judge: Any) -> None:
    rows = healthy(200, 400)
    for i, row in enumerate(rows):
        row["mem_gib"] = 40 + 0.05 * i
    found = judge(rows)
    assert found["memory-over-steps"].outcome == "grows-every-step"
    assert found["gpu-memory-grows"].outcome == "present"


def gpu(use: float, count: int = 40) -> GpuSeries:
    return GpuSeries(
        "nvidia-smi.csv",
        {0: tuple((float(i), use, 10**9, 8 * 10**10, i + 2) for i in range(count))},
    )


def steps_over(seconds: float) -> LogHits:
    lines = tuple(StepLine(s, {}, Source("train.log", s, 0, seconds * s / 40)) for s in (1, 40))
    return LogHits(steps=lines, ranks=(0,))


def test_idle_gpus_in_long_steps(judge: Any) -> None:
    rows = [r | {"step_time": 0.7} for r in healthy(40, 40)]
    found = judge(
        rows, gpu(1.0), steps_over(40), config(total_steps=40, num_workers=0, world_size=1)
    )
    assert found["gpu-starved"].outcome == "present"
    assert found["step-bound"].outcome == "idle-and-loads-inline"
    told = str(finding_text(load(), found["gpu-starved"]).en)
    assert told == "the GPU is under-used: 1% busy, 0.69 s of each 0.70 s step without work"
    told = str(finding_text(load(), found["step-bound"]).en)
    assert told.startswith("the GPU is idle 99% of the time, and the training process loads")
    offloads = config(total_steps=40, num_workers=0, world_size=1, optimizer_offload="cpu")
    assert "step-bound" not in judge(rows, gpu(1.0), steps_over(40), offloads)
    logged = judge([r | {"data_time": 0.6} for r in rows], gpu(1.0), steps_over(40), config())
    assert logged["step-bound"].outcome == "loader-bound"


def test_a_tiny_model_is_not_starved(judge: Any) -> None:
    rows = [r | {"step_time": 0.004} for r in healthy(40, 40)]
    found = judge(
        rows, gpu(12.0), steps_over(40), config(total_steps=40, num_workers=0, world_size=1)
    )
    assert found["gpu-starved"].outcome == "absent"
    assert found["step-bound"].outcome == "compute-bound"


def test_clipping_that_rises_is_information(judge: Any) -> None:
    rows = healthy(90, 90)
    for row in rows[60:]:
        row["grad_norm"] = 3.0
    assert judge(rows, config(gradient_clip=1.0))["gradient-clipping-rises"].outcome == "present"


def test_trainer_state_and_its_lines(look: Look, tmp_path: Path) -> None:
    history = [
        {"epoch": 0.1, "loss": 2.0, "learning_rate": 1e-4, "step": 5 * i} for i in range(1, 4)
    ]
    state = {"global_step": 15, "log_history": history, "max_steps": 60}
    (tmp_path / "trainer_state.json").write_text(json.dumps(state, indent=2))
    curve = next(iter(reading.run(look())))
    assert curve.planned_steps == 60
    series = curve.series["loss"]
    assert series.steps == (5, 10, 15)
    text = (tmp_path / "trainer_state.json").read_text().splitlines()
    assert all('"loss"' in text[n - 1] for n in series.lines)
    rates = curve.series["learning_rate"]
    assert all('"learning_rate"' in text[n - 1] for n in rates.lines)


def test_a_norm_that_carries_the_loss_scale(judge: Any) -> None:
    """Two hundred times the usual norms, by a logged scale that explains them."""
    name = "gradient-norm-carries-scale"
    rows = [r | {"loss_scale": 65536.0, "grad_norm": 65536.0 * 1.5} for r in healthy(90, 90)]
    assert judge(rows, config(gradient_clip=1.0))[name].outcome == "present"
    well = [r | {"loss_scale": 65536.0, "grad_norm": 1.5} for r in healthy(90, 90)]
    assert judge(well, config(gradient_clip=1.0))[name].outcome == "absent"
    explodes = [r | {"loss_scale": 65536.0, "grad_norm": 1e9} for r in healthy(90, 90)]
    assert judge(explodes, config(gradient_clip=1.0))[name].outcome == "absent"
    bf16 = [r | {"grad_norm": 65536.0} for r in healthy(90, 90)]
    assert name not in judge(bf16, config(gradient_clip=1.0))


def test_a_log_that_begins_with_the_nan_tells_no_onset(judge: Any) -> None:
    """It was cut there, or the run began there: a resume and steady training look alike."""
    found = judge([{"step": 8001 + i, "loss": math.nan} for i in range(3)])
    assert "loss-nan" in found
    assert "nan-onset" not in found
