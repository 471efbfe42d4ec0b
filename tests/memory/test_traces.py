"""What torch reserves within a limit, and that a layer's program is that of each layer."""

from __future__ import annotations

from typing import Any

import pytest

from medic.memory.allocator import Allocator, FullError, Meter
from medic.memory.layers_back import program_of
from medic.memory.peak import Step, steps_of
from medic.memory.program import Recorder
from medic.memory.tape import Sizes
from medic.memory.traces import reserved_share, trace_of
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Value

STATED: dict[str, Any] = {
    "hidden_size": 2048, "num_layers": 8, "num_heads": 16, "num_kv_heads": 8, "ffn_size": 8192,
    "vocab_size": 32000, "tied_embeddings": False, "micro_batch_size": 4, "sequence_length": 2048,
    "gradient_accumulation_steps": 2, "precision": "bf16", "parameter_dtype": "fp32",
    "optimizer": "adamw", "attention": "sdpa", "compile": False, "fused_loss": False,
    "activation_checkpointing": False, "world_size": 1,
}  # fmt: skip


def step_of(**more: Any) -> Step:
    stated = {k: Value(v, Origin("given")) for k, v in {**STATED, **more}.items()}
    return steps_of(read_setups(RunConfig(stated, framework="hf-trainer")).setups[1])[0]


def test_a_limit_beyond_what_is_reserved_or_below_the_tensors_changes_nothing() -> None:
    step = step_of()
    free = trace_of(step)
    share = free.run()
    assert reserved_share(step, 2 * free.meter.most) == share
    assert reserved_share(step, free.meter.peak // 2) == share
    with pytest.raises(FullError):
        trace_of(step, free.meter.peak // 2).run()


@pytest.mark.parametrize("recompute", [True, False])
def test_a_layer_leaves_nothing_behind_its_backward_pass(recompute: bool) -> None:
    trace = trace_of(step_of(activation_checkpointing=recompute, precision="fp32"))
    before = trace.meter.allocated
    for layer in trace.layers[:2]:
        result = layer.forward()
        kept = trace.meter.allocated
        layer.backward()
        trace.pool.give(result)
        assert kept > before
        trace._give(trace.gradients)
        trace.gradients = []
        assert trace.meter.allocated == before


def test_layers_alike_share_a_program() -> None:
    trace = trace_of(step_of())
    assert len({id(layer.program) for layer in trace.layers}) == 1
    sizes = Sizes(step_of())
    assert program_of(sizes, 0) == program_of(sizes, 5)


def test_the_recorder_frees_what_it_was_told_and_leaves_small_tensors_out() -> None:
    tape = Recorder()
    tape.new("small", 1000)
    tape.new("large", 5e6)
    tape.rename("large", "other")
    tape.drop("large", "small", "other")
    tape.clear()
    kinds = [what for what, *_ in tape.written()]
    assert len(kinds) == 3  # taken, renamed, dropped


def test_a_pool_beyond_its_limit_gives_unused_segments_back_first() -> None:
    meter = Meter(limit=100 << 20)
    pool = Allocator(meter)
    pool.give(pool.take(60 << 20))
    pool.take(80 << 20)
    assert meter.reserved == 80 << 20
    with pytest.raises(FullError):
        pool.take(30 << 20)
