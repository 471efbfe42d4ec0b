"""What is assumed is listed, what is unknown stays unknown, and the bounds mean something."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.facts import MemoryEstimate
from medic.memory.estimate import estimate
from medic.memory.states import model_states, optimizer_of
from medic.run_config import Origin, RunConfig, Value

GB = 10**9
SEVEN_B: dict[str, Any] = {
    "hidden_size": 4096,
    "num_layers": 32,
    "num_heads": 32,
    "num_kv_heads": 32,
    "ffn_size": 11008,
    "vocab_size": 32000,
    "tied_embeddings": False,
}
BATCH: dict[str, Any] = {"micro_batch_size": 1, "sequence_length": 4096}


def run(framework: str = "hf-trainer", **values: Any) -> RunConfig:
    stated = {k: Value(v, Origin("file")) for k, v in values.items() if v is not None}
    return RunConfig(stated, framework=framework)


# --- states ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("style", "optimizer", "more", "bytes_each"),
    [
        ("fp32", "adamw", {}, 16),
        ("autocast", "adamw_torch", {}, 16),
        ("pure", "adamw", {}, 8),
        ("master", "adamw", {}, 16),
        ("master", "adamw", {"gradient_bytes": 4}, 18),
        ("autocast", "adamw_8bit", {}, 10 + 8 / 256),
        ("pure", "muon", {}, 6),
        ("fp32", "sgd", {}, 8),
        ("fp32", "lion", {}, 12),
        ("master", "adamw", {"offloaded": True}, 4),
        ("master", "adamw", {"zero": 1, "shards": 4}, 4 + 12 / 4),
        ("master", "adamw", {"zero": 2, "shards": 4}, 2 + 14 / 4),
        ("master", "adamw", {"zero": 3, "shards": 4}, 16 / 4),
    ],
)
def test_bytes_per_parameter(
    style: Any, optimizer: str, more: dict[str, Any], bytes_each: float
) -> None:
    """The tables of the ZeRO paper and of torch autocast."""
    found = model_states(10**9, style, optimizer_of(optimizer), **more)
    assert found.total == bytes_each * 10**9


def test_states_are_known_without_a_batch() -> None:
    found = estimate(run(parameters=7 * GB, precision="fp32", world_size=1), 80 * GB)
    assert found.estimate is None
    assert found.activations is None
    assert found.states == 7 * 16 * GB
    assert found.low is not None
    assert found.low >= 7 * 16 * GB
    assert found.fits is False
    assert {"micro_batch_size", "sequence_length"} <= set(found.unknown)


def test_nothing_is_known_without_the_size_of_the_model() -> None:
    found = estimate(run(**BATCH), 80 * GB)
    assert (found.low, found.estimate, found.high, found.states) == (None,) * 4
    assert found.fits is None
    assert "parameters" in found.unknown


def test_sharding_over_an_unknown_number_of_ranks_is_unknown() -> None:
    found = estimate(run(**SEVEN_B, **BATCH, zero_stage=3, precision="bf16"), 80 * GB)
    assert found.low is None
    assert "data_parallel_size" in found.unknown


def test_experts_need_to_be_known_how_many_a_token_uses() -> None:
    found = estimate(run(**SEVEN_B, **BATCH, num_experts=8), 80 * GB)
    assert found.estimate is None
    assert "num_experts_per_tok" in found.unknown


def test_lora_keeps_states_small() -> None:
    full = estimate(run(**SEVEN_B, **BATCH, precision="bf16"))
    lora = estimate(run(**SEVEN_B, **BATCH, precision="bf16", lora_rank=16, quantization="4bit"))
    assert full.states_likely is not None
    assert lora.states_likely is not None
    assert lora.states_likely < 7 * GB < 100 * GB < full.states_likely


# --- what is open ---------------------------------------------------------------------------


def test_assumptions_are_listed() -> None:
    found = estimate(run(**SEVEN_B, **BATCH))
    listed = set(found.assumed)
    assert {
        "precision",
        "optimizer",
        "activation_checkpointing",
        "attention",
        "compile",
        "fused_loss",
        "gradient_accumulation_steps",
        "world_size",
    } <= listed


def test_stated_fields_are_not_assumed_and_narrow_the_bounds() -> None:
    open_ = estimate(run(**SEVEN_B, **BATCH, precision="bf16"))
    closed = estimate(
        run(
            **SEVEN_B,
            **BATCH,
            precision="bf16",
            parameter_dtype="fp32",
            optimizer="adamw",
            activation_checkpointing=False,
            attention="sdpa",
            compile=False,
            fused_loss=False,
            gradient_accumulation_steps=1,
            world_size=1,
        )
    )
    assert closed.assumed == {}
    assert open_.low is not None
    assert closed.low is not None
    assert open_.high is not None
    assert closed.high is not None
    assert open_.low <= closed.low <= closed.high <= open_.high


def test_full_training_of_7b_on_one_card_does_not_fit() -> None:
    stated: dict[str, Any] = {**SEVEN_B, **BATCH, "precision": "bf16", "use_amp": True}
    assert estimate(run(**stated, world_size=1), 80 * GB).fits is False
    # On eight a script may shard the states without a word in the config.
    assert estimate(run(**stated, world_size=8), 80 * GB).fits is None
    assert estimate(run(**stated, world_size=8, zero_stage=0, fsdp=False), 80 * GB).fits is False
    assert estimate(run(**stated)).assumed["zero_stage"] == "0"


def test_open_weight_dtype_leaves_it_open() -> None:
    """In pure bf16 with recomputation 7B trains on 80 GB; nothing says that it is not so."""
    stated = run(**SEVEN_B, **BATCH, precision="bf16", world_size=1)
    assert estimate(stated, 80 * GB).fits is None


def test_small_model_fits() -> None:
    small: dict[str, Any] = {
        **SEVEN_B,
        "hidden_size": 512,
        "num_layers": 4,
        "num_heads": 8,
        "num_kv_heads": 8,
        "ffn_size": 1408,
    }
    found = estimate(run(**small, **BATCH, precision="bf16", world_size=1), 80 * GB)
    assert found.fits is True
    assert estimate(run(**small, **BATCH, precision="bf16")).fits is None


@settings(max_examples=40, deadline=None)
@given(
    micro=st.integers(1, 64),
    more=st.integers(1, 64),
    recompute=st.booleans(),
    precision=st.sampled_from(["bf16", "fp32", "fp16", None]),
    world=st.sampled_from([None, 1, 8]),
    zero=st.sampled_from([None, 1, 3]),
)
def test_bounds_are_in_order_and_grow_with_the_batch(
    micro: int,
    more: int,
    recompute: bool,
    precision: str | None,
    world: int | None,
    zero: int | None,
) -> None:
    stated: dict[str, Any] = {
        **SEVEN_B,
        "sequence_length": 2048,
        "activation_checkpointing": recompute,
        "precision": precision,
        "world_size": world,
        "zero_stage": zero,
    }
    found = estimate(run(**stated, micro_batch_size=micro))
    if zero and world is None:
        assert found.low is None
        return
    larger = estimate(run(**stated, micro_batch_size=micro + more))
    assert found.low is not None
    assert found.estimate is not None
    assert found.high is not None
    assert found.states_low is not None
    assert found.states_low <= found.low <= found.estimate <= found.high
    assert sum(
        (found.states or 0, found.activations or 0, found.logits or 0, found.other or 0)
    ) == (found.estimate)
    assert sum(found.parts.values()) == found.estimate == max(found.phases.values())
    # What the allocator cannot use again may shrink with a larger batch, the tensors do not.
    grows = tensors(larger) >= tensors(found)
    assert grows or (larger.estimate or 0) >= found.estimate
    assert (larger.low or 0) >= 0.75 * found.low


def tensors(found: MemoryEstimate) -> int:
    """The estimate without what the allocator holds unused."""
    return (found.estimate or 0) - found.parts.get("allocator", 0)


@pytest.mark.parametrize("field", ["tensor_parallel_size", "pipeline_parallel_size"])
def test_model_parallelism_divides(field: str) -> None:
    one = estimate(run("megatron", **SEVEN_B, **BATCH, precision="bf16"))
    four = estimate(run("megatron", **SEVEN_B, **BATCH, precision="bf16", **{field: 4}))
    assert four.states_likely is not None
    assert one.states_likely is not None
    assert four.states_likely < one.states_likely / 2.5


def test_gate_is_told_by_the_number_of_parameters() -> None:
    """GPT-2 has two feed-forward matrices of 4 x hidden."""
    gpt2: dict[str, Any] = {"hidden_size": 768, "num_layers": 12, "num_heads": 12, "ffn_size": 3072,
            "vocab_size": 50257, "sequence_length": 1024, "micro_batch_size": 8}  # fmt: skip
    plain = estimate(run("", **gpt2, parameters=124_000_000, precision="bf16"))
    gated = estimate(run("", **gpt2, parameters=152_000_000, precision="bf16"))
    assert plain.activations is not None
    assert gated.activations is not None
    assert plain.activations < gated.activations
