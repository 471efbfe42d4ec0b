"""What torch reserves within a limit, and what is left out of a trace as it was there before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from medic.memory import begun
from medic.memory.allocator import Allocator, FullError, Meter
from medic.memory.begun import Ran, ran
from medic.memory.layers_back import program_of
from medic.memory.peak import Step, steps_of
from medic.memory.program import Layer, Recorder
from medic.memory.tape import Sizes
from medic.memory.trace import Trace
from medic.memory.traces import reserved_share, size_of, trace_of, traced
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
    share = (free.run(), free.first_share)
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


SPREAD: tuple[dict[str, Any], ...] = (
    {}, {"parameter_dtype": "bf16"}, {"lora_rank": 16, "parameter_dtype": "bf16"},
    {"lora_rank": 16, "quantization": "4bit", "parameter_dtype": "bf16"},
    {"lora_rank": 16, "quantization": "8bit", "parameter_dtype": "bf16"},
    {"fsdp": True, "world_size": 8}, {"fsdp": True, "world_size": 8, "lora_rank": 8},
    {"zero_stage": 2, "world_size": 4}, {"zero_stage": 3, "world_size": 16},
    {"world_size": 2, "pipeline_parallel_size": 2}, {"world_size": 2, "tensor_parallel_size": 2},
)  # fmt: skip
# Gathered weights lay elsewhere here than for the layer before, and a segment more was needed.
ELSEWHERE: dict[str, Any] = {
    "hidden_size": 1024, "num_layers": 16, "num_heads": 16, "num_kv_heads": 4, "ffn_size": 2688,
    "vocab_size": 151936, "tied_embeddings": True, "micro_batch_size": 1, "sequence_length": 1000,
    "optimizer": "adafactor", "attention": "eager", "fused_loss": True, "world_size": 16,
    "zero_stage": 3, "parameter_dtype": None,
}  # fmt: skip
BY_A_LIMIT: dict[str, Any] = {
    "hidden_size": 3072, "num_heads": 48, "num_kv_heads": 1, "ffn_size": 3584, "vocab_size": 50257,
    "micro_batch_size": 3, "zero_stage": 3, "world_size": 8,
}  # fmt: skip
DRAWN = st.fixed_dictionaries(
    {
        "hidden_size": st.sampled_from([512, 1024, 2048, 4096]),
        "num_layers": st.integers(4, 10),
        "num_kv_heads": st.sampled_from([1, 4, 16]),
        "ffn_size": st.sampled_from([1408, 5632, 8192, 14336]),
        "vocab_size": st.sampled_from([32000, 151936]),
        "tied_embeddings": st.booleans(),
        "micro_batch_size": st.integers(1, 6),
        "sequence_length": st.sampled_from([777, 1024, 4096, 8192]),
        "gradient_accumulation_steps": st.integers(1, 3),
        "optimizer": st.sampled_from(["adamw", "adamw_torch_fused", "adamw_8bit", "sgd"]),
        "attention": st.sampled_from(["sdpa", "eager"]),
        "fused_loss": st.booleans(),
    }
)


def _ran(step: Step, limit: int) -> tuple[int, int] | None:
    trace = trace_of(step, limit)
    try:
        trace.run()
    except FullError:
        return None
    return trace.meter.most, trace.meter.peak


@settings(max_examples=40, deadline=None)
@given(drawn=DRAWN, spread=st.sampled_from(SPREAD), room=st.sampled_from([0.0, 1.02, 1.08, 1.15]))
@example(drawn={}, spread=ELSEWHERE, room=0.0)
@example(drawn={}, spread=BY_A_LIMIT, room=1.08)
def test_what_is_left_out_of_a_recomputed_backward_pass_changes_nothing(
    drawn: dict[str, Any], spread: dict[str, Any], room: float
) -> None:
    step = step_of(activation_checkpointing=True, **{**drawn, **spread})
    if not traced(step):
        return
    limit = int(room * size_of(step))
    short = _ran(step, limit)
    with pytest.MonkeyPatch.context() as whole:
        whole.setattr(Trace, "_as_before", lambda *_: False)
        assert _ran(step, limit) == short


def test_layers_that_find_what_those_behind_them_found_are_left_out() -> None:
    """Else the test above could not fail."""
    trace = trace_of(step_of(activation_checkpointing=True, lora_rank=8, num_layers=12))
    seen: list[int] = []
    own = Trace._layer_back

    def counted(self: Trace, layer: Layer) -> None:
        seen.append(layer.number)
        own(self, layer)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Trace, "_layer_back", counted)
        trace.run()
    assert 0 < len(seen) < 12 * 4 / 2


# --- traces that begin alike -----------------------------------------------------------------

OPTIMIZERS = ("adamw", "adamw_8bit", "adamw_torch_fused", "sgd")


def _run_alone(step: Step, limit: int) -> Ran | None:
    trace = trace_of(step, limit)
    try:
        return trace.run(), trace.first_share, trace.meter.peak, trace.meter.most
    except FullError:
        return None


def _run_on(step: Step, limit: int) -> Ran | None:
    try:
        return ran(step, limit)
    except FullError:
        return None


@settings(max_examples=25, deadline=None)
@given(
    drawn=DRAWN,
    spread=st.sampled_from(SPREAD),
    room=st.sampled_from([0.0, 1.0, 1.05, 1.15]),
    recomputes=st.booleans(),
)
def test_every_optimizer_finds_what_it_would_find_alone(
    drawn: dict[str, Any], spread: dict[str, Any], room: float, recomputes: bool
) -> None:
    stated = {"activation_checkpointing": recomputes, **drawn, **spread}
    steps = [step_of(**stated | {"optimizer": name}) for name in OPTIMIZERS]
    limit = int(room * size_of(steps[-1]))
    for step in filter(traced, (*steps, *steps)):
        assert _run_on(step, limit) == _run_alone(step, limit)


def _begins(monkeypatch: pytest.MonkeyPatch) -> list[Trace]:
    found: list[Trace] = []
    own = Trace.begin

    def counted(trace: Trace) -> None:
        found.append(trace)
        own(trace)

    begun._LAST.clear()
    monkeypatch.setattr(Trace, "begin", counted)
    return found


def test_plans_that_differ_in_the_optimizer_begin_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the test above could not fail."""
    begins = _begins(monkeypatch)
    for name in OPTIMIZERS:
        ran(step_of(optimizer=name))
    assert len(begins) == 1
    ran(step_of(fused_loss=True))  # looked at between them
    ran(step_of(optimizer="sgd"))
    assert len(begins) == 2


def test_another_batch_or_limit_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    begins = _begins(monkeypatch)
    step = step_of()
    for one, limit in ((step, 0), (step, 10 * size_of(step)), (step_of(micro_batch_size=2), 0)):
        assert ran(one, limit) == _run_alone(one, limit)
    assert len(begins) == 3 + 3  # those alone, too
