"""GPUs against ranks of a node."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.gpu import count

from medic.facts import (
    Gpu,
    GpuSeries,
    GpuState,
    Hit,
    Launch,
    Launches,
    LogHits,
    Source,
    StepLine,
    Word,
)
from medic.probe import Finding, Skip
from medic.run_config import Origin, RunConfig, Span, Value

SPAN = Span("run.sh", 0, 1, 4, 1, 4, 2)
LOGS = LogHits(first_time=1000.0, last_time=2000.0, ended="badly")


def launch(*words: str, **environment: str) -> Launches:
    given = tuple(Word(SPAN, w, w) for w in words)
    return Launches((Launch("torchrun", given, None, (), SPAN, environment),))


def state(gpus: int, origin: str = "smi.txt", at: float | None = 1500.0) -> GpuState:
    return GpuState(tuple(Gpu(i) for i in range(gpus)), origin, source=Source(origin, time=at))


def series(gpus: int, samples: int = 10) -> GpuSeries:
    row = tuple((1000.0 + n, 5.0, 1, 2, n) for n in range(samples))
    return GpuSeries("smi.csv", dict.fromkeys(range(gpus), row))


def config(**fields: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("file", SPAN)) for k, v in fields.items()})


def run(look: Any, *facts: Any, here: bool | None = None) -> Finding | Skip:
    (told,) = count.PROBE.run(look(facts=facts, host_is_the_runs=here))
    assert isinstance(told, (Finding, Skip))
    return told


@pytest.mark.parametrize(
    "words",
    [
        ("--nproc-per-node=8",),
        ("--nproc_per_node", "8"),
        ("--num_gpus=8",),
        ("--rdzv-id", "1", "--nproc-per-node", "8"),
    ],
)
def test_more_ranks_than_gpus(look: Any, words: tuple[str, ...]) -> None:
    told = run(look, launch(*words), state(4), LOGS)
    assert isinstance(told, Finding)
    assert (told.outcome, told.value) == ("fewer-than-ranks", {"gpus": 4, "ranks": 8})
    assert told.source.where() == "run.sh:4"


@pytest.mark.parametrize("gpus", [8, 9])
def test_enough(look: Any, gpus: int) -> None:
    told = run(look, launch("--nproc-per-node=8"), state(gpus), LOGS)
    assert isinstance(told, Finding)
    assert told.outcome == "enough"


def test_visible_devices_need_no_machine(look: Any) -> None:
    told = run(look, launch("--nproc-per-node=4", CUDA_VISIBLE_DEVICES="0,1"))
    assert isinstance(told, Finding)
    assert told.value == {"gpus": 2, "ranks": 4}
    told = run(look, launch("--nproc-per-node=4", CUDA_VISIBLE_DEVICES="2,3,4,5"), state(4), LOGS)
    assert isinstance(told, Finding)
    assert told.value == {"gpus": 2, "ranks": 4}


@pytest.mark.parametrize(
    ("fields", "ranks"),
    [({"gpus_per_node": 8}, 8), ({"world_size": 16, "nodes": 2}, 8), ({"world_size": 2}, 2)],
)
def test_ranks_of_the_config(look: Any, fields: Any, ranks: int) -> None:
    told = run(look, config(**fields), state(4), LOGS)
    assert isinstance(told, Finding)
    assert told.value["ranks"] == ranks


def test_ranks_that_the_logs_show(look: Any) -> None:
    logs = LogHits(first_time=1000.0, last_time=2000.0, ended="badly", ranks=(0, 1, 2, 3))
    told = run(look, state(2), logs)
    assert isinstance(told, Finding)
    assert told.value == {"gpus": 2, "ranks": 4}


def test_a_series_needs_ten_samples(look: Any) -> None:
    assert isinstance(run(look, launch("--nproc-per-node=2"), series(2, 9), LOGS), Skip)
    told = run(look, launch("--nproc-per-node=2"), series(2, 10), LOGS)
    assert isinstance(told, Finding)
    assert told.outcome == "enough"


def test_evidence_of_another_time_or_machine(look: Any) -> None:
    ranks = launch("--nproc-per-node=8")
    assert isinstance(run(look, ranks, state(4, at=90_000.0), LOGS), Skip)
    assert isinstance(run(look, ranks, state(4, "this-host"), LOGS, here=None), Skip)
    assert isinstance(run(look, ranks, state(4, "this-host"), LOGS, here=True), Finding)


@pytest.mark.parametrize(
    "logs",
    [
        LogHits(first_time=1000.0, last_time=2000.0, ended="well"),
        LogHits(first_time=1000.0, last_time=2000.0, steps=(StepLine(1, {}, Source()),)),
    ],
)
def test_a_run_that_trained_had_its_gpus(look: Any, logs: LogHits) -> None:
    """A report or series can leave GPUs out: nvidia-smi -i 0."""
    assert isinstance(run(look, launch("--nproc-per-node=8"), state(1), logs), Skip)


@pytest.mark.parametrize("words", [("--nproc-per-node=gpu",), ("--nproc-per-node",), ()])
def test_a_number_that_is_not_written(look: Any, words: tuple[str, ...]) -> None:
    assert isinstance(run(look, launch(*words), state(4), LOGS), Skip)


def test_a_refused_rank_saw_fewer_than_the_machine_has(look: Any) -> None:
    hit = Hit("o", "invalid-device-ordinal", "root", Source("a.log", 1), {}, (0.0, 0, 1))
    logs = LogHits(hits=(hit,), first_time=1000.0, last_time=2000.0, ended="badly")
    assert isinstance(run(look, launch("--nproc-per-node=4"), state(8), logs), Skip)
    told = run(look, launch("--nproc-per-node=8"), state(4), logs)
    assert isinstance(told, Finding)
    assert told.outcome == "fewer-than-ranks"
