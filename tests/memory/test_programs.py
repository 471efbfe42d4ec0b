"""Adapters, quantisation and the model of a training program count, though no argument of the trainer
states them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
Sized = Callable[..., dict[str, Any]]
GIB = 2**30
PROGRAM = """from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

args = TrainingArguments("out", per_device_train_batch_size=1, bf16=True, gradient_checkpointing=True)
model = AutoModelForCausalLM.from_pretrained("meta-llama/Meta-Llama-3-8B")
{made}
Trainer(model=model, args=args).train()
"""
LORA = "model = get_peft_model(model, LoraConfig(r=16, target_modules='all-linear'))"
MAYBE = f"if use_lora:\n    {LORA}"
BITS = f"bits = BitsAndBytesConfig(load_in_4bit=True)\n{LORA}"
TWO = f"{LORA}\nother = LoraConfig(r=8)"


@pytest.fixture
def weights(sized: Sized, tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    def call(made: str) -> dict[str, Any]:
        (tmp_path / "train.py").write_text(PROGRAM.format(made=made), "utf-8")
        return sized(str(tmp_path / "train.py"), "--gpu", "80g", sequence_length=2048)

    return call


def test_adapters_are_counted_as_adapters(weights: Callable[[str], dict[str, Any]]) -> None:
    found = weights(LORA)
    assert found["parts"]["optimizer"] < GIB
    assert 15 < found["parts"]["weights"] / GIB < 16
    assert found["fits"] is not False


def test_a_list_of_targets_is_read(weights: Callable[[str], dict[str, Any]]) -> None:
    some = LORA.replace("'all-linear'", "['q_proj', 'v_proj']")
    one, all_maps = (weights(made)["parts"]["optimizer"] for made in (some, LORA))
    assert one < all_maps / 4


def test_quantised_maps_are_counted_as_such(weights: Callable[[str], dict[str, Any]]) -> None:
    assert weights(BITS)["parts"]["weights"] < 9 * GIB


@pytest.mark.parametrize("made", [MAYBE, TWO])
def test_adapters_that_may_be_made_leave_the_rank_open(
    weights: Callable[[str], dict[str, Any]], made: str
) -> None:
    found = weights(made)
    assert found["verdict"] == "unknown"
    assert "lora_rank" in found["unknown"]


def test_without_adapters_all_weights_are_trained(
    weights: Callable[[str], dict[str, Any]],
) -> None:
    found = weights("")
    assert found["model"] == "llama-3-8b"
    assert found["parts"]["optimizer"] > 50 * GIB
