"""torchtune's builders name a model; what holds a part of the states leaves a lower bound."""

from __future__ import annotations

from typing import Any

import pytest

from medic.index.knowledge import load
from medic.memory.estimate import estimate
from medic.memory.habits import settled
from medic.memory.named import built, model_of
from medic.memory.verdict import verdict_of
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Setting, Value

SIZES: dict[str, Any] = {
    "hidden_size": 4096, "num_layers": 32, "num_heads": 32, "num_kv_heads": 8, "ffn_size": 14336,
    "vocab_size": 128256, "tied_embeddings": False, "micro_batch_size": 1, "sequence_length": 2048,
    "gradient_accumulation_steps": 1, "precision": "bf16", "parameter_dtype": "bf16", "world_size": 1,
    "optimizer": "adamw_torch_fused", "activation_checkpointing": True, "compile": False,
    "fused_loss": False, "attention": "sdpa",
}  # fmt: skip


def _config(framework: str, settings: dict[str, Any], **values: Any) -> RunConfig:
    given = Origin("given", framework=framework)
    return RunConfig(
        {n: Value(v, given) for n, v in values.items()},
        framework=framework,
        settings=tuple(Setting(tuple(k.split(".")), v, given) for k, v in settings.items()),
    )


@pytest.mark.parametrize(
    ("builder", "model"),
    [
        ("llama3_1.lora_llama3_1_8b", "llama-3-8b"),
        ("llama3_3.qlora_llama3_3_70b", "llama-3-70b"),
        ("llama2.llama2_7b", "llama-2-7b"),
        ("qwen2_5.qwen2_5_7b_base", "qwen2.5-7b"),
        ("qwen2_5.lora_qwen2_5_1_5b_instruct", "qwen2.5-1.5b"),
        ("qwen2.lora_qwen2_0_5b", "qwen2.5-0.5b"),
        ("gemma2.gemma2_9b", "gemma-2-9b"),
        ("phi4.phi4_14b", "phi-4"),
        ("gemma.gemma_2b", "gemma-2b"),  # Gemma 1 is another model than Gemma 2
        ("code_llama2.code_llama2_7b", None),
        ("llama3_2_vision.llama3_2_vision_11b", None),
        ("mistral.mistral_reward_7b", None),
        ("llama3.llama3", None),  # takes its sizes as arguments
        ("llama3.llama3_tokenizer", None),
        ("qwen2.qwen2_5_7b", None),  # a builder of another family than its module's
    ],
)
def test_a_builder_names_its_model(builder: str, model: str | None) -> None:
    config = _config("torchtune", {"model._component_": f"torchtune.models.{builder}"})
    found = model_of(load(), built(config)) if built(config) else None
    assert (found.name if found else None) == model


def test_adapters_of_a_builder_have_torchtunes_rank_and_maps() -> None:
    settings = {
        "model._component_": "torchtune.models.llama3.lora_llama3_8b",
        "model.lora_attn_modules": "q_proj v_proj",
        "model.apply_lora_to_mlp": False,
    }
    config = settled(_config("torchtune", settings, **SIZES))[0]
    assert config.integer("lora_rank") == 8
    read = read_setups(config)
    assert [one.every_map for one in read.setups] == [False, False, False]
    assert "LoRA targets" not in read.assumed


@pytest.mark.parametrize(
    ("stated", "quantized"),
    [("bnb.nf4", "4bit"), ("bnb.fp4-dq", "4bit"), ("bnb.int8", "8bit"), ("x", None)],
)
def test_litgpt_says_how_weights_are_quantised(stated: str, quantized: str | None) -> None:
    config = settled(_config("litgpt", {"quantize": stated}, lora_rank=8, **SIZES))[0]
    assert config.get("quantization") == quantized


@pytest.mark.parametrize(
    ("switches", "every"),
    [
        ({}, False),
        (dict.fromkeys(("lora_key", "lora_projection", "lora_mlp"), True), True),
    ],
)
def test_litgpt_says_which_maps_have_adapters(switches: dict[str, Any], every: bool) -> None:
    read = read_setups(_config("litgpt", switches, lora_rank=8, **SIZES))
    assert [one.every_map for one in read.setups] == [every] * 3


@pytest.mark.parametrize(
    ("framework", "settings"),
    [
        ("llama-factory", {"use_badam": True}),
        ("llama-factory", {"use_galore": True}),
        ("llama-factory", {"finetuning_type": "freeze"}),
        ("torchtune", {"optimizer_in_bwd": True}),
        ("axolotl", {"unfrozen_parameters": "model.layers.31"}),
        ("ms-swift", {"freeze_parameters_ratio": 0.9}),
    ],
)
def test_a_part_of_the_states_is_never_called_too_much(
    framework: str, settings: dict[str, Any]
) -> None:
    """All of them would not fit: 8 billion weights with gradients and moments take 60 GiB."""
    card = 40 * 2**30
    whole = estimate(_config(framework, {}, **SIZES), card)
    assert verdict_of(whole, card) in ("does-not-fit", "probably-not")
    part = estimate(_config(framework, settings, **SIZES), card)
    assert verdict_of(part, card) == "at-least"
    assert part.fits is None
    too_small = estimate(_config(framework, settings, **SIZES), 12 * 2**30)
    assert verdict_of(too_small, 12 * 2**30) == "does-not-fit"  # the weights alone


def test_switches_that_are_off_change_nothing() -> None:
    off = {"use_badam": False, "freeze_parameters_ratio": 0.0, "optimizer_in_bwd": False}
    assert not read_setups(_config("ms-swift", off, **SIZES)).setups[1].in_part


def test_paged_moments_may_lie_on_the_host() -> None:
    paged = {**SIZES, "optimizer": "paged_adamw_8bit"}
    plain = {**SIZES, "optimizer": "adamw_8bit"}
    low, other = (estimate(_config("hf-trainer", {}, **one)).low or 0 for one in (paged, plain))
    assert low < other - 10 * 2**30


def test_the_degree_of_sharding_tells_over_how_many_ranks() -> None:
    values = {n: v for n, v in SIZES.items() if n != "world_size"}
    config = settled(_config("axolotl", {"dp_shard_size": 4}, fsdp=True, **values))[0]
    assert config.integer("data_parallel_size") == 4
    assert read_setups(config).setups[1].shards == 4


@pytest.mark.parametrize("framework", ["torchtune", "litgpt", "torchtitan", "olmo"])
def test_modules_of_a_trainers_own_have_a_wider_range_than_measured_ones(framework: str) -> None:
    """The measured layers of a family are transformers', whoever else trains a model of it."""
    family = {"model_type": "llama"}
    own, theirs = (
        estimate(
            _config(
                name, family, **{**SIZES, "micro_batch_size": 8, "activation_checkpointing": False}
            )
        )
        for name in (framework, "hf-trainer")
    )
    assert own.not_measured == ()
    assert own.estimate == theirs.estimate
    assert (own.low or 0) < 0.95 * (theirs.low or 0)
    assert (own.high or 0) > 1.05 * (theirs.high or 0)


def test_what_is_not_measured_of_tensor_parallelism_is_told_precisely() -> None:
    def told(framework: str, settings: dict[str, Any]) -> list[str]:
        config = _config(
            framework, settings, **{**SIZES, "tensor_parallel_size": 2, "world_size": 2}
        )
        return [text.en for text in estimate(config).not_measured]

    (engine,) = told("megatron", {})
    assert "Transformer Engine" in engine
    assert "transformer_impl local" in engine
    assert told("megatron", {"transformer_impl": "local"}) == []
    assert told("hf-trainer", {"model_type": "llama"}) == []
    assert told("nanotron", {}) == ["layers of nanotron"]
    (own,) = told("litgpt", {"model_type": "llama"})
    assert own.startswith("tensor parallelism outside transformers' models")
