"""Settings of Megatron's own that move its states or the loss."""

from __future__ import annotations

from typing import Any

import pytest

from medic.memory.habits import settled
from medic.memory.measured import not_measured
from medic.memory.offered import context
from medic.memory.reading import Reader
from medic.memory.setup import Setup
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Setting, Value

SIZES: dict[str, Any] = {
    "hidden_size": 4096,
    "num_layers": 32,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 14336,
    "vocab_size": 128256,
    "sequence_length": 4096,
    "micro_batch_size": 1,
    "data_parallel_size": 8,
    "world_size": 8,
    "precision": "bf16",
    "optimizer": "adam",
}
LEAN = {"use_precision_aware_optimizer": True}


def setups(fields: dict[str, Any] | None = None, **settings: Any) -> tuple[Setup, ...]:
    given = Origin("given")
    config = RunConfig(
        {k: Value(v, given) for k, v in {**SIZES, **(fields or {})}.items()},
        framework="megatron",
        settings=tuple(Setting((k,), v, given) for k, v in settings.items()),
    )
    return read_setups(settled(config)[0]).setups


@pytest.mark.parametrize(
    ("settings", "moments", "gradients"),
    [
        ({"exp_avg_dtype": "bf16", "exp_avg_sq_dtype": "bf16", **LEAN}, 4.0, 4),
        ({"exp_avg_dtype": "fp8", "exp_avg_sq_dtype": "fp16", **LEAN}, 3.0, 4),
        ({"main_grads_dtype": "bf16", **LEAN}, 8.0, 2),
        ({"exp_avg_dtype": "bf16", "main_grads_dtype": "bf16"}, 8.0, 4),  # read by that form alone
        ({}, 8.0, 4),
    ],
)
def test_the_precision_aware_optimizer_keeps_what_it_is_told(
    settings: dict[str, Any], moments: float, gradients: int
) -> None:
    likely = setups(**settings)[1]
    assert likely.optimizer.held(likely.style) == moments
    assert likely.gradient_bytes == gradients


@pytest.mark.parametrize(
    ("strategy", "zero", "engine"),
    [
        ("no_shard", 0, "megatron"),
        ("optim", 1, "megatron"),
        ("optim_grads", 2, "megatron"),
        ("optim_grads_params", 3, "fsdp"),
    ],
)
def test_megatron_fsdp_shards_what_its_strategy_says(strategy: str, zero: int, engine: str) -> None:
    likely = setups({"fsdp": True}, data_parallel_sharding_strategy=strategy)[1]
    assert (likely.zero, likely.engine) == (zero, engine)


def test_megatron_fsdp_shards_nothing_by_default() -> None:
    own = setups({"fsdp": True}, use_megatron_fsdp=True)[1]
    assert (own.zero, own.engine) == (0, "megatron")
    torchs = setups({"fsdp": True}, use_torch_fsdp2=True)[1]
    assert (torchs.zero, torchs.engine) == (3, "fsdp")


@pytest.mark.parametrize(
    ("on", "kernel", "fused"),
    [(True, "linear", True), (True, "te", False), (None, "linear", False)],
)
def test_only_the_linear_kernel_makes_no_logits(on: bool | None, kernel: str, fused: bool) -> None:
    found = setups(cross_entropy_loss_fusion=on, cross_entropy_fusion_impl=kernel)
    assert found[1].fused_loss is fused
    assert found[2].fused_loss is fused


@pytest.mark.parametrize(
    ("settings", "whole", "attention"),
    [
        ({"recompute_activations": True}, (False, False, False), True),
        ({"recompute_granularity": "selective"}, (False, False, False), True),
        ({"recompute_granularity": "full", "recompute_activations": True}, (False,) * 3, True),
        ({"recompute_granularity": "full"}, (True, True, True), False),
        # mlp, layernorm and others may be among them, and then less is kept
        (
            {"recompute_granularity": "selective", "recompute_modules": "core_attn"},
            (True, False, False),
            True,
        ),
    ],
)
def test_recompute_activations_is_attentions_core_alone(
    settings: dict[str, Any], whole: tuple[bool, ...], attention: bool
) -> None:
    found = setups({"activation_checkpointing": True}, transformer_impl="local", **settings)
    assert tuple(one.recompute for one in found) == whole
    assert found[1].attention_recomputed is attention


def test_which_modules_are_recomputed_is_not_modelled() -> None:
    def doubts(**settings: Any) -> list[str]:
        given = {"recompute_granularity": "selective", "transformer_impl": "local", **settings}
        return [text.en for text in not_measured(setups(**given)[1], "", "megatron")]

    assert doubts() == []
    assert "recompute_modules" in doubts(recompute_modules="mlp")[0]


def test_fp8_is_said_not_to_be_modelled() -> None:
    def doubts(**settings: Any) -> list[str]:
        likely = setups(transformer_impl="local", **settings)[1]
        return [text.en for text in not_measured(likely, "", "megatron")]

    assert any("fp8" in text for text in doubts(fp8_format="hybrid"))
    assert doubts(fp8_format=None) == doubts() == []


@pytest.mark.parametrize(("layers", "offered"), [("local", False), ("transformer_engine", True)])
def test_sequences_are_split_by_transformer_engine_alone(layers: str, offered: bool) -> None:
    given = Origin("given")
    config = RunConfig(
        {name: Value(value, given) for name, value in SIZES.items()},
        framework="megatron",
        settings=(Setting(("transformer_impl",), layers, given),),
    )
    assert bool(list(context(config))) is offered


@pytest.mark.parametrize(
    ("framework", "backend", "own"),
    [
        ("slime", None, True),
        ("slime", "megatron", True),
        ("slime", "fsdp", False),
        ("trl", None, False),
    ],
)
def test_slime_trains_with_megatrons_layers(framework: str, backend: str | None, own: bool) -> None:
    given = Origin("given")
    settings = (Setting(("train_backend",), backend, given),) if backend else ()
    assert Reader(RunConfig({}, framework=framework, settings=settings)).megatron is own
