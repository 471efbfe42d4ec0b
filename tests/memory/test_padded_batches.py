"""Padding in a batch makes sdpa keep a mask for each of its sequences; flash attention and packing do not."""

from __future__ import annotations

from typing import Any

import pytest

from medic.memory.estimate import estimate
from medic.run_config import Origin, RunConfig, Setting, Value

LLAMA: dict[str, Any] = {
    "hidden_size": 4096, "num_layers": 32, "num_heads": 32, "num_kv_heads": 8, "ffn_size": 14336,
    "vocab_size": 128256, "tied_embeddings": False, "micro_batch_size": 8, "sequence_length": 4096,
    "gradient_accumulation_steps": 1, "precision": "bf16", "parameter_dtype": "bf16", "optimizer": "adamw_fused",
    "activation_checkpointing": False, "compile": False, "fused_loss": False, "world_size": 1, "zero_stage": 0,
}  # fmt: skip
KEPT = 32 * (
    8 * 4096 * 4096 * 2 + 8 * 4096 * 2 * (4096 - 1024) * 2
)  # bias, keys and values of all heads


def run(attention: str = "sdpa", framework: str = "axolotl", **settings: Any) -> RunConfig:
    values = {name: Value(value, Origin("given")) for name, value in LLAMA.items()}
    values["attention"] = Value(attention, Origin("given"))
    known = {"model_type": "llama", **settings}
    stated = tuple(Setting((name,), value, Origin("given")) for name, value in known.items())
    return RunConfig(values, framework=framework, settings=stated)


def test_padding_keeps_a_mask_for_each_sequence() -> None:
    plain, padded = (estimate(run(pad_to_sequence_len=on)) for on in (False, True))
    assert plain.activations
    assert padded.activations
    assert (padded.activations - plain.activations) == pytest.approx(KEPT, rel=0.01)


@pytest.mark.parametrize(
    ("attention", "settings"),
    [
        ("flash_attention_2", {"pad_to_sequence_len": True}),
        ("sdpa", {"pad_to_sequence_len": True, "sample_packing": True}),
    ],
)
def test_without_a_mask_padding_takes_nothing(attention: str, settings: dict[str, Any]) -> None:
    assert estimate(run(attention, **settings)).high == estimate(run("flash_attention_2")).high


def test_batches_that_may_be_padded_widen_the_range_and_it_is_told() -> None:
    perhaps, packed = estimate(run()), estimate(run(sample_packing=True))
    assert perhaps.estimate == packed.estimate
    assert (perhaps.high or 0) > (packed.high or 0)
    assert perhaps.assumed["padding"] == "none"
    assert "padding" not in packed.assumed
    own = estimate(run(framework="hf-trainer"))  # its example scripts cut texts into whole blocks
    assert (own.high, own.assumed.get("padding")) == (packed.high, None)
