"""Experts of Megatron Core: divided by ranks of their own, in a grid that has to divide all ranks."""

from __future__ import annotations

from typing import Any

import pytest

from medic.memory import offered
from medic.memory.inverse import changed
from medic.memory.reading import Reader
from medic.memory.resident import local, states_of
from medic.memory.setup import Setup
from medic.memory.tensor import splits_stream
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Setting, Value

MIXTRAL: dict[str, Any] = {
    "hidden_size": 4096, "num_layers": 32, "num_heads": 32, "num_kv_heads": 8, "ffn_size": 14336,
    "vocab_size": 32000, "num_experts": 8, "sequence_length": 4096, "micro_batch_size": 1,
    "precision": "bf16", "optimizer": "adam", "tied_embeddings": False, "zero_stage": 1,
    "activation_checkpointing": False, "nodes": 2, "gpus_per_node": 8, "world_size": 16,
    "tensor_parallel_size": 2, "pipeline_parallel_size": 2, "expert_parallel_size": 8,
}  # fmt: skip
USED = {"moe_router_topk": 2, "swiglu": True}
GIB = 1 << 30


def config_of(framework: str = "megatron", more: Any = None, **settings: Any) -> RunConfig:
    given = Origin("given")
    derived = ("world_size", "data_parallel_size")
    fields = {**MIXTRAL, **(more or {})}
    fields.setdefault(
        "data_parallel_size",
        fields["world_size"] // fields["tensor_parallel_size"] // fields["pipeline_parallel_size"],
    )
    return RunConfig(
        {k: Value(v, Origin("derived") if k in derived else given) for k, v in fields.items()},
        framework=framework,
        settings=tuple(Setting((k,), v, given) for k, v in {**USED, **settings}.items()),
    )


def likely(framework: str = "megatron", **settings: Any) -> Setup:
    return read_setups(config_of(framework, **settings)).setups[1]


def test_experts_of_one_tensor_rank_are_whole() -> None:
    """The rest is split by the tensor size; 16 ranks over 8 x 1 x 2 leave one replica of an expert."""
    one, two = likely(expert_tensor_parallel_size=1), likely(expert_tensor_parallel_size=2)
    assert local(one).experts == 2 * local(two).experts
    assert local(one).rest == local(two).rest
    held = states_of(one)
    assert held.weights / GIB == pytest.approx(6.0, abs=0.05)
    assert held.gradients / GIB == pytest.approx(12.0, abs=0.1)
    assert held.optimizer / GIB == pytest.approx(32.6, abs=0.1)


@pytest.mark.parametrize(("framework", "size"), [("megatron", 2), ("megatron-swift", 1)])
def test_what_nothing_states_is_the_frameworks_default(framework: str, size: int) -> None:
    assert likely(framework).expert_tensor == size
    assert likely(framework, expert_tensor_parallel_size=4).expert_tensor == 4


def test_no_size_is_offered_that_the_experts_do_not_fit() -> None:
    one = config_of(more={"tensor_parallel_size": 1})
    assert list(offered.tensor(one)) == []
    assert next(offered.tensor(config_of(more={"tensor_parallel_size": 1, "world_size": 32})))
    for way in offered.more_gpus(one):
        state = changed(one, way)
        sizes = [state.integer(f"{n}_parallel_size") or 1 for n in ("tensor", "expert", "pipeline")]
        assert (state.integer("world_size") or 0) % (sizes[0] * sizes[1] * sizes[2]) == 0


@pytest.mark.parametrize("experts", [8, 1])
def test_experts_bring_sequence_parallelism_beside_tensor_parallelism(experts: int) -> None:
    spread = {"tensor_parallel_size": 1, "num_experts": experts, "expert_parallel_size": 1}
    state = changed(config_of(more=spread), {"tensor_parallel_size": 2})
    assert splits_stream(Reader(state))[1] is (experts > 1)
