"""What FSDP holds of gradients outside the layers before they are reduced to shards."""

from __future__ import annotations

import pytest

from medic.memory.peak import steps_of
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Scalar, Value

VALUES: dict[str, Scalar] = {
    "hidden_size": 4096,
    "num_layers": 32,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 14336,
    "vocab_size": 128256,
    "tied_embeddings": False,
    "micro_batch_size": 1,
    "sequence_length": 512,
    "precision": "bf16",
    "activation_checkpointing": True,
    "attention": "flash",
    "fused_loss": True,
    "compile": False,
    "optimizer": "adamw_torch_fused",
    "fsdp": True,
}


@pytest.mark.parametrize("ranks", [8, 64, 512])
@pytest.mark.parametrize(("held", "each"), [("bf16", 2 + 2), ("fp32", 2 + 4)])
def test_they_are_reduced_in_their_own_width_where_weights_are_in_bf16(
    ranks: int, held: str, each: int
) -> None:
    stated: dict[str, Scalar] = {**VALUES, "world_size": ranks, "parameter_dtype": held}
    config = RunConfig(
        {k: Value(v, Origin("given")) for k, v in stated.items()}, framework="hf-trainer"
    )
    (step,) = steps_of(read_setups(config).setups[1])
    assert step.phases["backward"]["gradients before sharding"] == each * step.shape.ends
