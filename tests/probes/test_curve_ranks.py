"""Gradient norms of several ranks, and memory of the host, over the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.curve import host_memory, replica_weights, replicas

from medic.facts import Curve, Series
from medic.probe import Finding
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value


def series(name: str, values: list[float], rank: int | None = None) -> Series:
    steps = tuple(range(1, len(values) + 1))
    return Series(name, "metrics.jsonl", steps, tuple(values), steps, rank)


def norms(second: Callable[[int], float], count: int = 10) -> Curve:
    first = series("grad_norm", [1.0 + n / 10 for n in range(count)], 0)
    other = series("grad_norm", [second(n) for n in range(count)], 1)
    by_rank = {0: {"grad_norm": first}, 1: {"grad_norm": other}}
    return Curve(by_rank[0], by_rank)


def config(**values: Any) -> RunConfig:
    return RunConfig({k: Value(v, Origin("given")) for k, v in values.items()})


def ask(look: Any, probe: Any, *facts: Any) -> dict[str, str]:
    seen = look({}, facts=list(facts), thresholds={})
    return {f.name: f.outcome for f in probe.PROBE.run(seen) if isinstance(f, Finding)}


def test_norms_of_unknown_origin_are_told_and_blame_nothing(look: Any) -> None:
    """A loop may log the norm of its own micro batch, or of its own shard."""
    for facts in ([], [config(micro_batch_size=4)]):
        found = ask(look, replicas, norms(lambda n: 2.0 + n / 5), *facts)
        assert found["replica-gradients"] == "differ"
        assert "gradients-differ-between-ranks" not in found


def test_clipped_norms_without_shards_leave_no_doubt(look: Any) -> None:
    found = ask(look, replicas, norms(lambda n: 2.0 + n / 5), config(gradient_clip=1.0))
    assert found["replica-gradients"] == "differ-in-replicas"
    assert "gradients-differ-between-ranks" in found


@pytest.mark.parametrize(
    ("framework", "program"),
    [
        ("torchtitan", "loss.backward()"),  # shards by default
        ("", "for block in model.layers:\n    fully_shard(block)\n"),
        ("", "model = FSDP(model)\n"),
    ],
)
def test_norms_of_shards_prove_nothing(look: Any, framework: str, program: str) -> None:
    clips = replace(config(gradient_clip=1.0), framework=framework)
    curve = norms(lambda n: 2.0 + n / 5)
    seen = look({"train.py": program}, facts=[curve, clips], thresholds={})
    found = {f.name: f.outcome for f in replicas.PROBE.run(seen) if isinstance(f, Finding)}
    assert found == {"replica-gradients": "differ"}


@pytest.mark.parametrize(
    ("curve", "facts"),
    [
        (norms(lambda n: 1.001 * (1 + n / 10)), []),
        (norms(lambda n: 2.0 + n), [config(fsdp=True)]),
        (norms(lambda n: 2.0 + n), [config(tensor_parallel_size=2)]),
        (norms(lambda n: 2.0 + n, count=3), []),
        (norms(lambda n: float("nan")), []),
    ],
)
def test_ranks_that_agree_or_hold_parts(look: Any, curve: Curve, facts: list[Any]) -> None:
    assert "gradients-differ-between-ranks" not in ask(look, replicas, curve, *facts)


AVERAGES = "for p in model.parameters():\n    dist.all_reduce(p.grad)\n"
SHARDED = AVERAGES + "fully_shard(model)\n"


def weighed(apart: float, gradients: float = 1.0) -> Curve:
    """Two ranks with norms of gradients and weights, by factors of the second one's."""
    grown = [38.7 + n / 9 for n in range(10)]
    by_rank = {
        rank: {
            "grad_norm": series("grad_norm", [2.0 * (gradients if rank else 1.0)] * 10, rank),
            "weight_norm": series("weight_norm", [w + rank * apart for w in grown], rank),
        }
        for rank in (0, 1)
    }
    return Curve(by_rank[0], by_rank)


def of_weights(look: Any, curve: Curve, program: str, **values: Any) -> dict[str, str]:
    seen = look({"train.py": program}, facts=[curve, config(**values)], thresholds={})
    found = replica_weights.PROBE.run(seen)
    return {f.name: f.outcome for f in found if isinstance(f, Finding)}


def test_weights_apart_under_the_same_gradients(look: Any) -> None:
    found = of_weights(look, weighed(0.01), AVERAGES)
    assert found["replica-weights"] == "differ-under-equal-gradients"
    assert found["gradients-differ-between-ranks"] == "present"


def test_weights_that_are_the_same_or_may_differ(look: Any) -> None:
    assert of_weights(look, weighed(1e-6), AVERAGES) == {"replica-weights": "alike"}
    assert not of_weights(look, weighed(0.01, gradients=1.3), AVERAGES)  # of their own
    assert not of_weights(look, weighed(0.01), SHARDED)
    assert not of_weights(look, weighed(0.01), AVERAGES, tensor_parallel_size=2)
    assert not of_weights(look, weighed(0.01), "loss.backward()\n")


GIB = 2.0**30


@pytest.mark.parametrize(
    ("values", "grows"),
    [
        ([GIB * (1 + n / 20) for n in range(40)], True),
        ([GIB * min(3, 1 + n) for n in range(40)], False),
        ([GIB * (2 + (n % 3) / 10) for n in range(40)], False),
        ([GIB * (1 + n / 20) for n in range(8)], False),
    ],
)
def test_memory_of_the_host(look: Any, values: list[float], grows: bool) -> None:
    found = ask(look, host_memory, Curve({"host_memory": series("host_memory", values)}))
    assert ("host-memory-grows" in found) is grows
