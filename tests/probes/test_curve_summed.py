"""A first loss that is the loss of a guess times the tokens of the micro batch."""

from __future__ import annotations

import math
from typing import Any

import pytest
from medic.probes.curve import accumulated, start

from medic.facts import Curve, Series
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Span, Value

OWN = Origin("file", Span("train.yaml", 0, 1, 1, 1, 1, 1))
SIZES = {"vocab_size": 4096, "sequence_length": 256, "micro_batch_size": 16, "hidden_size": 64}


@pytest.mark.parametrize(
    ("first", "tokens"),
    [
        (16 * 256 * 8.384, 4096),
        (16 * 255 * 8.36, 4080),
        (255 * 8.36, 255),
        (34.2, None),  # weights that blow up
        (20_000.0, None),
        (8.36, None),
    ],
)
def test_a_sum_over_tokens(look: Any, first: float, tokens: int | None) -> None:
    values = tuple(first * math.exp(-n / 40) for n in range(30))
    steps = tuple(range(1, 31))
    curve = Curve({"loss": Series("loss", "m.jsonl", steps, values, steps, 0)})
    config = RunConfig({name: Value(n, OWN) for name, n in SIZES.items()})
    seen = look({}, facts=[curve, config], thresholds={"above-random": 2.0})
    found = [f for f in accumulated.PROBE.run(seen) if isinstance(f, Finding)]
    told = [f.value["tokens"] for f in found]
    assert told == ([] if tokens is None else [pytest.approx(tokens, rel=0.005)])
    levels = {f.name: f.outcome for f in start.PROBE.run(seen) if isinstance(f, Finding)}
    assert not (tokens and levels["start-level"] == start.UNTRAINED)
    assert not (first == 34.2 and levels["start-level"] != start.UNTRAINED)
