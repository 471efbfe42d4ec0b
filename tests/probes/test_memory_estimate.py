"""The memory check claims only what lies beyond the estimate's margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.memory_estimate import PROBE, gpu_memory

from medic.facts import Gpu, GpuMemory, GpuSeries, GpuState, Hit, LogHits, MemoryEstimate, Source
from medic.memory.estimate import estimate
from medic.memory.usual import usual_estimate
from medic.probe import Finding, Skip
from medic.run_config import Origin, RunConfig, Span, Value

GIB = 1024**3
LINTS = ("micro-batch-too-large", "model-states-do-not-fit")
MODEL = {
    "hidden_size": 2048,
    "num_layers": 16,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 8192,
    "vocab_size": 128256,
    "tied_embeddings": True,
    "sequence_length": 8192,
    "precision": "bf16",
    "parameter_dtype": "fp32",
    "activation_checkpointing": False,
    "compile": False,
    "fused_loss": False,
    "attention": "sdpa",
    "optimizer": "adamw",
    "gradient_accumulation_steps": 1,
    "world_size": 1,
}
SPAN = Span("config.yaml", 10, 11, 3, 7, 3, 8)


def config(**more: Any) -> RunConfig:
    stated = {**MODEL, "micro_batch_size": 4, **more}
    values = {
        name: Value(value, Origin("file", SPAN if name == "micro_batch_size" else None))
        for name, value in stated.items()
        if value is not None
    }
    return RunConfig(values, framework="hf-trainer")


def estimated(
    run_config: RunConfig, capacity: int | None, *, usual: bool = False
) -> MemoryEstimate:
    return usual_estimate(run_config, capacity)[1] if usual else estimate(run_config, capacity)


def report(gib: float) -> GpuState:
    return GpuState((Gpu(0, total=int(gib * GIB)),), "gpus.txt")


def run(look: Callable[..., Any], *facts: Any, checks: tuple[str, ...] = LINTS, **more: Any) -> Any:
    found = look(facts=facts, checks=checks, **more)
    found.estimate_memory = estimated
    return [item for item in PROBE.run(found) if isinstance(item, (Finding, Skip))]


def outcomes(items: list[Any]) -> dict[str, str]:
    return {
        item.name if isinstance(item, Finding) else item.check: (
            item.outcome if isinstance(item, Finding) else "-"
        )
        for item in items
    }


@pytest.mark.parametrize(
    ("fields", "gib", "expected"),
    [
        # Measured on an H100: micro batch 4 at 8,192 tokens runs out of memory.
        ({}, 79.2, ("activations-do-not-fit", "fires", "passes")),
        ({"micro_batch_size": 1, "sequence_length": 512}, 79.2, ("fits", "passes", "passes")),
        ({}, 16, ("states-do-not-fit", "-", "fires")),
        ({"micro_batch_size": None}, 16, ("states-do-not-fit", "-", "fires")),
        ({"micro_batch_size": None}, 79.2, ("-", "-", "passes")),
        ({"micro_batch_size": 1, "sequence_length": 4096}, 40, ("-", "-", "passes")),
        ({"hidden_size": None}, 79.2, ("-", "-", "-")),
        (
            {"micro_batch_size": 16, "activation_checkpointing": None, "fused_loss": None},
            79.2,
            ("activations-as-usual-do-not-fit", "-", "passes"),
        ),
    ],
)
def test_outcomes(
    look: Callable[..., Any], fields: dict[str, Any], gib: float, expected: tuple[str, str, str]
) -> None:
    items = run(look, config(**fields), report(gib))
    assert outcomes(items) == dict(zip(("memory-estimate", *LINTS), expected, strict=True))


def test_finding_says_how_much_and_points_at_the_micro_batch(look: Callable[..., Any]) -> None:
    items = run(look, config(), report(79.2))
    fired = next(i for i in items if isinstance(i, Finding) and i.name == LINTS[0])
    assert fired.value["capacity"] == "79.2 GiB"
    assert float(fired.value["estimate"].split()[0]) > 79.2
    assert fired.source == Source("config.yaml", 3)


def test_memory_of_the_gpu_is_a_fact(look: Callable[..., Any]) -> None:
    found = look(facts=(config(), report(40)))
    found.estimate_memory = estimated
    assert next(PROBE.run(found)) == GpuMemory(40 * GIB)


def test_open_check_names_what_would_close_it(look: Callable[..., Any]) -> None:
    items = run(look, config(micro_batch_size=None), report(79.2))
    needs = {i.check: i.needs.en for i in items if isinstance(i, Skip)}
    assert needs["memory-estimate"] == "micro_batch_size"


def test_lint_without_words_is_not_told(look: Callable[..., Any]) -> None:
    items = run(look, config(), report(79.2), checks=())
    assert {i.name for i in items if isinstance(i, Finding)} == {"memory-estimate"}


def test_unknown_gpu_leaves_the_checks_open(look: Callable[..., Any]) -> None:
    items = run(look, config())
    assert {i.check for i in items} == {"memory-estimate", *LINTS}
    assert all("GPU" in i.needs.en and "GPU" in i.needs.zh for i in items)


def test_probe_tells_only_what_it_says() -> None:
    assert set(PROBE.tells) == {"memory-estimate", *LINTS}


# --- which GPU ------------------------------------------------------------------------------

HIT = Hit("oom", "cuda-out-of-memory", "root", Source(), {"total": 40 * GIB}, (0.0, 0, 1))
SERIES = GpuSeries("smi.csv", {0: ((0.0, 1.0, 1, 24 * GIB, 2),)})


def here(*totals: float) -> GpuState:
    return GpuState(tuple(Gpu(i, total=int(t * GIB)) for i, t in enumerate(totals)), "this-host")


@pytest.mark.parametrize(
    ("facts", "ours", "gib"),
    [
        ((LogHits(hits=(HIT,)), report(80), SERIES), None, 40),
        ((report(80), SERIES), None, 80),
        ((SERIES, here(16)), True, 24),
        ((here(80, 40),), True, 40),
        ((here(80),), None, None),
        ((here(80),), False, None),
        ((LogHits(),), None, None),
    ],
)
def test_the_runs_own_gpu_comes_first(
    look: Callable[..., Any], facts: tuple[Any, ...], ours: bool | None, gib: int | None
) -> None:
    found = gpu_memory(look(facts=facts, host_is_the_runs=ours))
    assert found == (gib * GIB if gib else None)


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [
        ("a100-80g", 84_986_036_224),
        ("A100 80GB", 84_986_036_224),
        ("h200", 150_108_897_280),
        ("no such card", None),
    ],
)
def test_the_gpu_that_the_user_names(
    look: Callable[..., Any], given: str, bytes_: int | None
) -> None:
    from medic.index.knowledge import load

    named = RunConfig({"gpu": Value(given, Origin("given"))})
    found = look(facts=(named,))
    found.gpus = list(load().gpus.values())
    assert gpu_memory(found) == bytes_
    message = look(facts=(named, LogHits(hits=(HIT,))))
    message.gpus = found.gpus
    assert gpu_memory(message) == 40 * GIB  # the run's own message is exact


@pytest.mark.parametrize(
    ("asked", "bytes_"),
    [("gpu:h200:8", 150_108_897_280), ("gpu:a100:8", None), ("gpu:8", None)],
)
def test_the_gpu_that_a_batch_script_asks_for(
    look: Callable[..., Any], asked: str, bytes_: int | None
) -> None:
    """None where the name is that of several sizes of card."""
    from medic.index.knowledge import load

    script = f"#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres={asked}\ntorchrun train.py\n"
    found = look({"job.sh": script}, facts=(config(),))
    found.gpus = list(load().gpus.values())
    assert gpu_memory(found) == bytes_
