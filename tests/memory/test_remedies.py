"""What makes a run fit, and the largest batch and sequence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.facts.memory import fitting
from medic.memory.estimate import estimate
from medic.memory.inverse import changed, largest
from medic.memory.options import OPTIONS
from medic.memory.remedies import advise
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value

Sized = Callable[..., dict[str, Any]]
GIB = 2**30
STATED: dict[str, Any] = {
    "hidden_size": 2048,
    "num_layers": 16,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 8192,
    "vocab_size": 128256,
    "tied_embeddings": True,
    "micro_batch_size": 8,
    "gradient_accumulation_steps": 2,
    "sequence_length": 2048,
    "precision": "bf16",
    "parameter_dtype": "fp32",
    "optimizer": "adamw",
    "activation_checkpointing": False,
    "attention": "sdpa",
    "compile": False,
    "fused_loss": False,
    "world_size": 1,
}


def run(**more: Any) -> RunConfig:
    stated = {k: Value(v, Origin("file")) for k, v in {**STATED, **more}.items()}
    return RunConfig(stated, framework="hf-trainer")


def test_what_fits_needs_no_advice() -> None:
    assert advise(run(micro_batch_size=1), 80 * GIB).alone == ()


def test_remedies_come_in_the_order_of_their_cost() -> None:
    advice = advise(run(attention="eager"), 60 * GIB)
    order = [option[0] for option in OPTIONS]
    names = [one.name for one in advice.alone]
    assert names[0] == "use-fused-attention"
    assert names == sorted(names, key=order.index)


def test_a_sequence_is_cut_no_shorter_than_cheaper_changes_let_it_be() -> None:
    long = {"sequence_length": 131072, "micro_batch_size": 1, "activation_checkpointing": True}
    advice = advise(run(**long, optimizer="adamw_8bit", parameter_dtype="bf16"), 26 * GIB)
    alone = next(one for one in advice.alone if one.name == "shorter-sequence")
    assert [one.name for one in advice.plan] == ["fuse-loss", "shorter-sequence"]
    assert advice.fits
    assert alone.peak <= fitting(26 * GIB)
    kept, cut = (int(one.changes[0].new or 0) for one in (advice.plan[-1], alone))
    assert kept > cut


@pytest.mark.parametrize(("capacity", "other"), [(40, "at-least"), (75, "at-most")])
def test_the_peak_after_a_remedy_is_the_estimate_of_the_changed_config(
    capacity: int, other: str
) -> None:
    config = run()
    bounds = set()
    for one in advise(config, capacity * GIB).alone:
        after = changed(config, {c.field: c.new for c in one.changes})
        peak = estimate(after, capacity * GIB).estimate or 0
        bounds.add(one.bound)
        if one.bound == "exact":
            assert one.peak == peak
        else:  # a bound is told only where it settles whether it fits
            fits = one.bound == "at-most"
            assert (
                (peak <= one.peak <= capacity * GIB)
                if fits
                else (peak >= one.peak > capacity * GIB)
            )
    assert bounds == {"exact", other}


def test_the_cheapest_that_is_enough_is_exact() -> None:
    for capacity in (23, 30, 40, 50, 60):
        advice = advise(run(micro_batch_size=16), capacity * GIB)
        assert advice.plan[-1].bound == "exact"


def test_a_smaller_micro_batch_keeps_the_global_batch() -> None:
    advice = advise(run(), 40 * GIB)
    one = next(r for r in advice.alone if r.name == "halve-micro-batch-keep-global-batch")
    new = {c.field: c.new for c in one.changes}
    micro, steps = new["micro_batch_size"], new["gradient_accumulation_steps"]
    assert isinstance(micro, int)
    assert isinstance(steps, int)
    assert micro * steps == 16
    assert micro < 8


def test_fp32_may_become_bf16_and_its_cost_is_told() -> None:
    advice = advise(run(precision="fp32", micro_batch_size=4), 44 * GIB)
    one = next(r for r in advice.alone if r.name == "use-bf16")
    assert [(c.field, c.new) for c in one.changes] == [("precision", "bf16")]
    assert "numerics" in one.cost.en
    assert not [r for r in advise(run(), 40 * GIB).alone if r.name == "use-bf16"]


def test_the_first_that_is_enough_is_the_plan() -> None:
    advice = advise(run(), 60 * GIB)
    assert advice.fits
    assert advice.plan == (next(r for r in advice.alone if r.peak <= 60 * GIB),)


def test_remedies_are_combined_until_it_fits() -> None:
    advice = advise(run(micro_batch_size=16, optimizer="adamw_fused"), 23 * GIB)
    assert all(one.peak > 23 * GIB for one in advice.alone)
    assert advice.fits
    assert len(advice.plan) > 1
    state = run(micro_batch_size=16, optimizer="adamw_fused")
    for one in advice.plan:
        state = changed(state, {c.field: c.new for c in one.changes})
    assert (estimate(state).estimate or 0) == advice.plan[-1].peak <= 23 * GIB


def test_states_alone_too_large_are_said_not_to_fit() -> None:
    advice = advise(replace(run(num_layers=160), framework="nanogpt"), 16 * GIB)
    assert not advice.fits  # nanoGPT shards nothing
    advice = advise(run(num_layers=160), 16 * GIB)
    assert advice.plan[-1].name == "more-gpus"


@pytest.mark.parametrize("name", ["micro_batch_size", "sequence_length"])
def test_the_largest_value_fits_and_the_next_does_not(name: str) -> None:
    found = largest(run(), name, 80 * GIB)
    step = 1 if name == "micro_batch_size" else 128
    assert found.likely
    assert found.sure
    assert found.sure <= found.likely
    this, after = (
        estimate(changed(run(), {name: count}), 80 * GIB).estimate or 0
        for count in (found.likely, found.likely + step)
    )
    assert 0 < this <= fitting(80 * GIB) < after
    most = estimate(changed(run(), {name: found.sure}), 80 * GIB)
    assert most.fits is True


@pytest.mark.parametrize("capacity", [38, 44, 54])
def test_what_is_proposed_is_what_the_estimate_calls_fitting(capacity: int) -> None:
    """On 38 and 54 GiB the next larger micro batch would fit, with less than 5% left."""
    advice = advise(run(), capacity * GIB)
    assert advice.fits
    assert advice.plan[-1].peak <= fitting(capacity * GIB)
    micro = next(r for r in advice.alone if r.name == "halve-micro-batch-keep-global-batch")
    [count] = [c.new for c in micro.changes if c.field == "micro_batch_size"]
    likely = largest(run(), "micro_batch_size", capacity * GIB).likely
    assert likely is not None
    assert count == max(n for n in (1, 2, 4) if n <= likely)


def test_the_largest_value_is_zero_where_nothing_fits() -> None:
    assert largest(run(), "micro_batch_size", 8 * GIB).likely == 0


def test_the_largest_value_is_unknown_without_the_model() -> None:
    assert largest(RunConfig(), "micro_batch_size", 8 * GIB).likely is None


def test_a_shorter_sequence_is_the_last_resort() -> None:
    """Where other changes together are enough, none that changes what the model sees is planned."""
    config = run(
        micro_batch_size=4,
        sequence_length=8192,
        activation_checkpointing=True,
        optimizer="adamw_8bit",
    )
    capacity = int(19.5 * GIB)
    advice = advise(config, capacity)
    enough = [one.name for one in advice.alone if one.peak <= capacity]
    assert enough == ["shorter-sequence"]
    assert advice.fits
    assert len(advice.plan) > 1
    assert "shorter-sequence" not in {one.name for one in advice.plan}


@pytest.mark.parametrize("steps", [4, 8])
def test_the_global_batch_of_deepspeed_stays_what_its_parts_make(
    sized: Sized, tmp_path: Path, steps: int
) -> None:
    """Also where they did not make it before."""
    engine = {"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4}
    engine |= {"gradient_accumulation_steps": steps}
    zero = {"bf16": {"enabled": True}, "zero_optimization": {"stage": 2}}
    file = tmp_path / "ds.json"
    file.write_text(json.dumps({**engine, **zero}, indent=2))
    words = (str(file), "--model", "llama-3-8b", "--gpu", "h200")
    found = sized(*words, world_size=8, sequence_length=4096)
    (one,) = (r for r in found["remedies"] if r["name"] == "halve-micro-batch-keep-global-batch")
    new = {c["field"]: c["new"] for c in one["change"]}
    assert new["micro_batch_size"] < 4
    assert new["micro_batch_size"] * new["gradient_accumulation_steps"] * 8 == 256


SHARED = {"world_size": 8, "data_parallel_size": 8, "micro_batch_size": 16}
OFFERED = [
    ("hf-trainer", {"fuse-loss", "shard-model-states", "lean-optimizer"}, set()),
    ("own-loop", {"fuse-loss", "shard-model-states", "lean-optimizer"}, set()),
    ("megatron", {"shard-model-states"}, {"fuse-loss", "lean-optimizer"}),
    ("nanotron", {"shard-model-states"}, {"fuse-loss", "lean-optimizer"}),
    ("torchtitan", set(), {"fuse-loss", "lean-optimizer"}),
    ("openrlhf", {"shard-model-states"}, {"lean-optimizer"}),
    ("fairseq", {"shard-model-states", "recompute-activations"}, {"fuse-loss", "lean-optimizer"}),
    ("nemo", {"shard-model-states"}, {"fuse-loss", "lean-optimizer"}),
    ("nanogpt", set(), {"fuse-loss", "lean-optimizer", "recompute-activations",
                        "shard-model-states"}),
]  # fmt: skip


@pytest.mark.parametrize(("framework", "some", "none"), OFFERED)
def test_only_what_the_framework_has_is_offered(
    framework: str, some: set[str], none: set[str]
) -> None:
    config = replace(run(**SHARED), framework=framework)
    told = {one.name: one for one in advise(config, 24 * GIB).alone}
    assert some <= told.keys()
    assert not none & told.keys()
    if framework in ("megatron", "nanotron"):
        assert [(c.field, c.new) for c in told["shard-model-states"].changes] == [("zero_stage", 1)]


@pytest.mark.parametrize(("framework", "offers"), [("nemo2", True), ("nemo", False)])
def test_an_optimizer_on_the_host_is_offered_where_there_is_a_key(
    framework: str, offers: bool
) -> None:
    config = replace(run(**SHARED, zero_stage=1), framework=framework)
    told = {one.name for one in advise(config, 24 * GIB).alone}
    assert ("offload-optimizer-states" in told) is offers


def test_no_stage_that_a_pipeline_refuses_is_offered() -> None:
    ranks = {"pipeline_parallel_size": 2, "world_size": 8, "data_parallel_size": 4, "zero_stage": 0}
    stated = {k: Value(v, Origin("file")) for k, v in {**STATED, **SHARED, **ranks}.items()}
    told = {one.name: one for one in advise(RunConfig(stated, framework="gpt-neox"), 8 * GIB).alone}
    assert [c.new for c in told["shard-model-states"].changes] == [1]
