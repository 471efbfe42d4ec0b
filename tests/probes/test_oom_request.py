"""The size of a failed request tells its tensor, where the run's sizes multiply to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.logs.oom_request import PROBE, judge

from medic.facts import Hit, LogHits, Source
from medic.index.knowledge import load
from medic.memory.named import with_named_sizes
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Value

GIB = 2**30
SIZES = {
    "micro_batch_size": 8,
    "sequence_length": 4096,
    "vocab_size": 128256,
    "num_heads": 32,
}


def config(**values: Any) -> RunConfig:
    return RunConfig({name: Value(n, Origin("given")) for name, n in values.items()})


def wanting(gib: float) -> Hit:
    request = {"request": int(gib * GIB)}
    return Hit("oom", "cuda-out-of-memory", "root", Source(), request, (0.0, 0, 0))


def told(gib: float, **more: int) -> str:
    found = judge(config(**{**SIZES, **more}), wanting(gib))
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("gib", "more", "tensor"),
    [
        (15.66, {}, "logits"),  # 8 x 4096 x 128256 x 4
        (7.83, {}, "logits"),  # in 16 bits
        (8.00, {}, "scores"),  # 8 x 32 x 4096 x 4096 x 2
        (3.91, {"tensor_parallel_size": 4}, "logits"),
        (37.12, {"sequence_length": 8192, "vocab_size": 152064}, "logits"),  # 37.125, rounded down
        (37.11, {"sequence_length": 8192, "vocab_size": 152064}, ""),
        (1.75, {}, ""),  # of the feed-forward part
        (15.70, {}, ""),
        (15.66, {"vocab_size": 151936}, ""),
        (16.00, {"vocab_size": 131072}, ""),  # logits and scores are of one size
    ],
)
def test_tensor(gib: float, more: dict[str, int], tensor: str) -> None:
    assert told(gib, **more) == tensor


@pytest.mark.parametrize(
    ("more", "tensor"),
    [
        ({"hidden_size": 4096}, "scores-above-all"),  # 5 x 32 x 4096 / 4096 = 160 against 34
        ({"hidden_size": 16384}, "scores"),  # 40: as much as all else
        ({}, "scores"),
    ],
)
def test_scores_beside_the_rest_of_a_layer(more: dict[str, int], tensor: str) -> None:
    assert told(8.00, **more) == tensor


@pytest.mark.parametrize(
    ("model", "product"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "8 x 8,192 x 152,064 x 4"),
        ("my/own-model", ""),
    ],
)
def test_the_vocabulary_of_a_named_model(
    look: Callable[..., Any], model: str, product: str
) -> None:
    named = config(micro_batch_size=8, sequence_length=8192, base_model=model)
    seen = look(facts=(named, LogHits(hits=(wanting(37.12),))))
    seen.with_named_sizes = lambda one: with_named_sizes(one, load())
    found = [item.value["product"] for item in PROBE.run(seen) if isinstance(item, Finding)]
    assert found == ([product] if product else [])
