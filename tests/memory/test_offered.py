"""Remedies that need more GPUs, or another share of those there are; and that what is proposed fits."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts.memory import fitting
from medic.index.knowledge import load
from medic.memory.batches import smaller_micro_batches
from medic.memory.estimate import estimate
from medic.memory.inverse import changed
from medic.memory.named import with_model
from medic.memory.remedies import Advice, advise
from medic.memory.usual import with_usual
from medic.run_config import Origin, RunConfig, Setting, Value

GIB = 2**30
LONG = {
    "micro_batch_size": 1,
    "gradient_accumulation_steps": 2,
    "sequence_length": 65536,
    "precision": "bf16",
    "activation_checkpointing": True,
    "fused_loss": True,
    "zero_stage": 3,
    "world_size": 8,
}


def run(model: str, framework: str, **stated: Any) -> RunConfig:
    values = {name: Value(value, Origin("file")) for name, value in stated.items()}
    config = with_model(RunConfig(values, framework=framework), load(), model)[0]
    return with_usual(config)[0]


def names(advice: Advice) -> list[str]:
    return [one.name for one in advice.alone]


def test_a_long_sequence_is_split_where_the_framework_can() -> None:
    advice = advise(run("qwen2.5-14b", "ms-swift", **LONG), 60 * GIB)
    one = next(r for r in advice.alone if r.name == "split-the-sequence")
    assert {c.field: c.new for c in one.changes} == {
        "context_parallel_size": 4,
        "gradient_accumulation_steps": 8,
    }
    assert one.peak <= fitting(60 * GIB)
    assert names(advice).index("split-the-sequence") < names(advice).index("shorter-sequence")


@pytest.mark.parametrize(
    ("framework", "more"),
    [
        ("hf-trainer", {}),  # accelerate's FSDP2 alone has it
        ("axolotl", {"attention": "sdpa"}),
        ("ms-swift", {"micro_batch_size": 2}),  # smaller micro batches come first
        ("ms-swift", {"sequence_length": 65537}),
    ],
)
def test_no_sequence_is_split_where_it_cannot_be(framework: str, more: dict[str, Any]) -> None:
    advice = advise(run("qwen2.5-14b", framework, **{**LONG, **more}), 40 * GIB)
    assert advice.alone
    assert "split-the-sequence" not in names(advice)


def test_more_gpus_are_told_where_the_states_are_too_large() -> None:
    stated = {**LONG, "sequence_length": 4096, "nodes": 1}
    advice = advise(run("llama-3-70b", "hf-trainer", **stated), 80 * GIB)
    one = next(r for r in advice.alone if r.name == "more-gpus")
    assert {c.field: c.new for c in one.changes} == {"world_size": 32, "nodes": 4}
    assert "32 in all" in one.text.en
    assert one.peak <= fitting(80 * GIB)


def test_no_gpus_are_asked_for_where_nothing_is_sharded() -> None:
    one = {**LONG, "zero_stage": None, "world_size": 1}
    stated = {name: value for name, value in one.items() if value is not None}
    assert "more-gpus" not in names(advise(run("llama-3-70b", "nanogpt", **stated), 80 * GIB))


def test_megatron_spreads_layers_before_it_asks_for_nodes() -> None:
    stated = {"micro_batch_size": 1, "global_batch_size": 64, "sequence_length": 4096}
    config = run("llama-2-7b", "megatron", **stated, precision="bf16", world_size=8)
    advice = advise(config, 40 * GIB)
    one = next(r for r in advice.alone if r.name == "split-the-layers")
    assert one.changes[0].field == "tensor_parallel_size"
    large = run("llama-3-70b", "megatron", **stated, precision="bf16", world_size=8)
    advice = advise(large, 80 * GIB)
    more = next(r for r in advice.alone if r.name == "more-gpus")
    fields = {c.field: c.new for c in more.changes}
    # Of 18 bytes a parameter, less the shards of the optimizer: eight ways by four.
    assert fields["tensor_parallel_size"] == 8
    assert fields["pipeline_parallel_size"] in (2, 4)
    assert int(str(fields["world_size"])) <= 64
    assert advice.fits


@pytest.mark.parametrize("gib", [24, 80])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("framework", ["hf-trainer", "llama-factory", "megatron", ""])
@pytest.mark.parametrize("model", ["qwen2.5-1.5b", "llama-2-7b", "mixtral-8x7b"])
def test_what_is_proposed_fits(model: str, framework: str, precision: str, gib: int) -> None:
    """The plan made one after the other comes to the peak that is told of it, and fits."""
    for world, length in ((1, 4096), (8, 32768)):
        engine = {"zero_stage": 1} if world > 1 else {}
        batch = {"micro_batch_size": 4, "gradient_accumulation_steps": 2, "sequence_length": length}
        config = run(model, framework, **batch, **engine, precision=precision, world_size=world)
        if (estimate(config, gib * GIB).estimate or 0) <= fitting(gib * GIB):
            continue
        advice = advise(config, gib * GIB)
        assert advice.fits
        for one in advice.plan:
            config = changed(config, {c.field: c.new for c in one.changes})
        assert estimate(config, gib * GIB).estimate == advice.plan[-1].peak <= fitting(gib * GIB)


def test_without_a_batch_the_changes_are_told_of_a_usual_one() -> None:
    config = run("llama-2-7b", "hf-trainer", micro_batch_size=4, precision="fp32")
    advice = advise(config, 80 * GIB)
    assert advice.taken == {"sequence_length": 4096}
    assert {"use-bf16", "recompute-activations", "bf16-weights"} <= set(names(advice))
    assert advice.fits
    small = run("qwen2.5-0.5b", "hf-trainer", micro_batch_size=4, precision="fp32")
    assert advise(small, 80 * GIB) == Advice()


def test_what_does_not_fit_says_by_how_much() -> None:
    from medic.report.memory_advice import _title

    stated = {name: value for name, value in LONG.items() if name != "zero_stage"}
    advice = advise(run("llama-3-70b", "nanogpt", **stated), 24 * GIB)
    assert not advice.fits
    assert "GiB too much" in _title(advice, 24 * GIB).en


@pytest.mark.parametrize(
    ("framework", "settings", "optimizer", "offered"),
    [
        ("torchtune", {"optimizer_in_bwd": True}, "adamw", False),
        ("llama-factory", {"galore_layerwise": True}, "adamw_torch", False),
        ("hf-trainer", {}, "galore_adamw_layerwise", False),
        ("torchtune", {"optimizer_in_bwd": False}, "adamw", True),
        ("hf-trainer", {}, "galore_adamw", True),
    ],
)
def test_no_accumulation_where_each_layer_steps_in_the_backward_pass(
    framework: str, settings: dict[str, bool], optimizer: str, offered: bool
) -> None:
    origin = Origin("file")
    values: dict[str, Any] = {
        "micro_batch_size": 4,
        "optimizer": optimizer,
        "sequence_length": 4096,
    }
    config = RunConfig(
        {name: Value(value, origin) for name, value in values.items()},
        framework=framework,
        settings=tuple(Setting((name,), value, origin) for name, value in settings.items()),
    )
    assert bool(list(smaller_micro_batches(config))) is offered
