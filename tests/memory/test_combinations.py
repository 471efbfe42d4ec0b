"""What was measured alone and not together is a lower bound and says which."""

from __future__ import annotations

from typing import Any

import pytest

from medic.memory.estimate import estimate
from medic.run_config import Origin, RunConfig, Setting, Value

STATED: dict[str, Any] = {
    "hidden_size": 2048,
    "num_layers": 16,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 8192,
    "vocab_size": 32000,
    "tied_embeddings": False,
    "micro_batch_size": 1,
    "sequence_length": 2048,
    "precision": "bf16",
    "world_size": 8,
}


MIXTRAL = {"num_experts": 8, "family": "mixtral"}


def doubts(**more: Any) -> list[str]:
    family = Setting(("model_type",), more.pop("family", "llama"), Origin("given"))
    used = Setting(("num_experts_per_tok",), 2, Origin("given"))
    stated = {k: Value(v, Origin("given")) for k, v in {**STATED, **more}.items()}
    found = estimate(RunConfig(stated, framework="hf-trainer", settings=(family, used)), 80 * 2**30)
    assert found.low
    return [text.en for text in found.not_measured]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"num_experts": 8, "family": "mixtral", "fsdp": True}, "experts over several GPUs"),
        ({"num_experts": 8, "family": "mixtral", "zero_stage": 3}, "experts over several GPUs"),
        ({"lora_rank": 16, "zero_stage": 3}, "adapters under DeepSpeed"),
        ({"lora_rank": 16, "tensor_parallel_size": 8}, "adapters under DeepSpeed"),
        ({"lora_rank": 16, "quantization": "4bit", "fsdp": True}, "quantised weights"),
        ({"zero_stage": 3, "optimizer_offload": "cpu"}, "offload under ZeRO-3"),
        ({"tensor_parallel_size": 2, "fsdp": True}, "beside other kinds"),
        ({"tensor_parallel_size": 2, "pipeline_parallel_size": 4}, "beside other kinds"),
        ({"precision": "fp8", "fsdp": True}, "fp8 over several GPUs"),
        ({**MIXTRAL, "lora_rank": 16, "world_size": 1}, "adapters beside experts"),
        (
            {**MIXTRAL, "lora_rank": 16, "quantization": "4bit", "world_size": 1},
            "quantised experts",
        ),
    ],
)
def test_what_was_not_measured_together_is_told(settings: dict[str, Any], told: str) -> None:
    found = doubts(**settings)
    assert any(told in one for one in found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "settings",
    [
        {"num_experts": 8, "family": "mixtral", "world_size": 1},
        {"lora_rank": 16, "fsdp": True},
        {"lora_rank": 16, "quantization": "4bit", "world_size": 1},
        {"zero_stage": 2, "optimizer_offload": "cpu"},
        {"tensor_parallel_size": 8},
        {"pipeline_parallel_size": 8},
        {"zero_stage": 3},
        {"precision": "fp8", "world_size": 1},
    ],
)
def test_what_was_measured_is_not(settings: dict[str, Any]) -> None:
    assert doubts(**settings) == []
