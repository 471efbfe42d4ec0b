"""The size of a failed request tells its tensor, where the run's sizes multiply to it."""

from __future__ import annotations

import pytest
from medic.probes.logs.oom_request import judge

from medic.facts import Hit, Source
from medic.run_config import Origin, RunConfig, Value

GIB = 2**30
SIZES = {
    "micro_batch_size": 8,
    "sequence_length": 4096,
    "vocab_size": 128256,
    "num_heads": 32,
}


def told(gib: float, **more: int) -> str:
    values = {name: Value(n, Origin("given")) for name, n in {**SIZES, **more}.items()}
    hit = Hit(
        "oom", "cuda-out-of-memory", "root", Source(), {"request": int(gib * GIB)}, (0.0, 0, 0)
    )
    found = judge(RunConfig(values), hit)
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("gib", "more", "tensor"),
    [
        (15.66, {}, "logits"),  # 8 x 4096 x 128256 x 4
        (7.83, {}, "logits"),  # in 16 bits
        (8.00, {}, "scores"),  # 8 x 32 x 4096 x 4096 x 2
        (3.91, {"tensor_parallel_size": 4}, "logits"),
        (1.75, {}, ""),  # of the feed-forward part
        (15.70, {}, ""),
        (15.66, {"vocab_size": 151936}, ""),
        (16.00, {"vocab_size": 131072}, ""),  # logits and scores are of one size
    ],
)
def test_tensor(gib: float, more: dict[str, int], tensor: str) -> None:
    assert told(gib, **more) == tensor
