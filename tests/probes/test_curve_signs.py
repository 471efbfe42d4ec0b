"""Signs that need few steps: memory that grows evenly or is never taken, a loss below text, a clip of 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from medic.probes.curve import clip_numbers, gap, memory, replicas, throughput

from medic.facts import Curve, GpuSeries, LogHits, Series, Source, StepLine
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Setting, Span, Value

GIB = 2.0**30
MIB = 2**20


def curve(**named: list[float]) -> Curve:
    series = {
        name: Series(name, "m.jsonl", steps := tuple(range(1, len(v) + 1)), tuple(v), steps, 0)
        for name, v in named.items()
    }
    return Curve(series, {0: series})


def told(look: Any, module: Any, *facts: Any) -> dict[str, str]:
    seen = look(
        {},
        facts=list(facts),
        thresholds={"settle-steps": 50, "growth-share": 0.05, "starved-utilisation": 50},
    )
    return {f.name: f.outcome for f in module.PROBE.run(seen) if isinstance(f, Finding)}


@pytest.mark.parametrize(
    ("levels", "outcome"),
    [
        ([15.6 + 12.2 * n for n in range(10)], "grows-every-step"),
        ([3.0, *(15.6 + 0.5 * n for n in range(9))], "grows-every-step"),
        ([15.6, 20.1, 21.0, 21.4, 21.6, 21.6, 21.6, 21.6, 21.6, 21.6], None),
        ([15.6, 15.6, 15.7, 15.6, 15.7, 15.6, 15.7, 15.6, 15.7, 15.6], None),
        ([0.0] * 10, "none-allocated"),
        ([0.0] * 3, None),
    ],
)
def test_memory_of_the_first_steps(look: Any, levels: list[float], outcome: str | None) -> None:
    found = told(look, memory, curve(memory=[v * GIB for v in levels]))
    assert found.get("memory-over-steps") == outcome
    assert ("gpu-memory-grows" in found) == (outcome == "grows-every-step")


@pytest.mark.parametrize(
    ("losses", "low"),
    [
        ([6.3, 5.0, 4.1, *(0.4 / n for n in range(1, 60))], True),
        ([6.3, 5.0, 4.1, *(1.5 + 2.0 / n for n in range(1, 60))], False),
        ([1.9, 1.5, 1.2, *(0.4 / n for n in range(1, 60))], False),  # a fine-tune
    ],
)
def test_a_loss_that_no_text_allows(look: Any, losses: list[float], low: bool) -> None:
    assert ("loss-suspiciously-low" in told(look, gap, curve(loss=losses))) is low


def test_norms_that_are_nearly_alike_but_logged_exactly(look: Any) -> None:
    whole = [0.5239970684051514 + n / 1000 for n in range(10)]
    first, second = (curve(grad_norm=[v * f for v in whole]) for f in (1.0, 1.006))
    by_rank = {0: first.by_rank[0], 1: second.by_rank[0]}
    assert told(look, replicas, Curve(by_rank[0], by_rank))["replica-gradients"] == "differ"
    rounded = {
        rank: {
            "grad_norm": replace(
                s["grad_norm"], values=tuple(round(v, 2) for v in s["grad_norm"].values)
            )
        }
        for rank, s in by_rank.items()
    }
    assert told(look, replicas, Curve(rounded[0], rounded))["replica-gradients"] == "alike"


@pytest.mark.parametrize(("used", "outcome"), [(4 * MIB, "none-held"), (900 * MIB, "held")])
def test_whether_the_gpus_hold_anything(look: Any, used: int, outcome: str) -> None:
    rows = tuple((float(t), 0.0, used, 80_000 * MIB, t + 2) for t in range(40))
    steps = [StepLine(s, {}, Source("train.log", s, time=float(s))) for s in (2, 38)]
    found = told(
        look,
        throughput,
        curve(step_time=[1.0] * 12),
        GpuSeries("smi.csv", {0: rows, 1: rows}),
        LogHits(steps=tuple(steps)),
    )
    assert found["gpu-memory-held"] == outcome


@pytest.mark.parametrize(("framework", "outcome"), [("", "clip-of-zero"), ("hf-trainer", None)])
def test_a_clip_of_zero_is_off_only_where_a_trainer_reads_it(
    look: Any, framework: str, outcome: str | None
) -> None:
    config = RunConfig({"gradient_clip": Value(0.0, Origin("file"))}, framework=framework)
    found = told(look, clip_numbers, curve(grad_norm=[0.5] * 12), config)
    assert found.get("clip-ratio") == outcome


def test_a_clip_of_null_is_off_everywhere(look: Any) -> None:
    at = Origin("file", Span("c.yaml", 0, 4, 1, 1, 1, 5))
    null = Setting(("gradient_clip_val",), None, at)
    config = RunConfig({"gradient_clip": Value(0.0, at)}, settings=(null,))
    found = told(look, clip_numbers, curve(grad_norm=[0.5] * 12), config)
    assert "clip-ratio" not in found
