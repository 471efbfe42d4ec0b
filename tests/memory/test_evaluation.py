"""An evaluation step counts, also with the batch that nobody wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
Of = Callable[[str, str], dict[str, Any]]
TRAINER = """python train.py --model_name_or_path Qwen/Qwen2.5-0.5B --do_train {more} --bf16 \\
  --train_file a.jsonl --validation_file b.jsonl --block_size 8192 --gradient_checkpointing \\
  --per_device_train_batch_size 1 --output_dir out
"""
LLAMA_FACTORY = """model_name_or_path: Qwen/Qwen2.5-0.5B
stage: sft
finetuning_type: full
cutoff_len: 8192
per_device_train_batch_size: 1
bf16: true
enable_liger_kernel: true
val_size: 0.1
"""
TRL = """model_name_or_path: Qwen/Qwen2.5-0.5B
dataset_name: /data/sft
per_device_train_batch_size: 1
max_length: 8192
packing: true
"""
AXOLOTL = """base_model: Qwen/Qwen2.5-0.5B
sequence_len: 8192
micro_batch_size: 8
gradient_accumulation_steps: 1
learning_rate: 0.00001
datasets: [{path: d, type: alpaca}]
bf16: true
gradient_checkpointing: true
val_set_size: 0.02
plugins: [axolotl.integrations.liger.LigerPlugin]
liger_fused_linear_cross_entropy: true
"""
DEFAULT = "per_device_eval_batch_size = 8"


@pytest.fixture
def of(sized: Sized, tmp_path: Path) -> Of:
    """The answer for a config's text on one H100."""

    def call(text: str, name: str) -> dict[str, Any]:
        file = tmp_path / name
        file.write_text(text)
        return sized(str(file), "--gpu", "h100-80g")

    return call


@pytest.mark.parametrize("word", ["--eval_strategy steps", "--do_eval --evaluation_strategy epoch"])
def test_the_default_of_a_trainer_that_evaluates_is_counted(of: Of, word: str) -> None:
    silent = of(TRAINER.format(more=word), "run.sh")
    told = of(TRAINER.format(more=f"{word} --per_device_eval_batch_size 8"), "run.sh")
    assert silent["device"] == told["device"]
    assert silent["verdict"] == "does-not-fit"
    assert DEFAULT in silent["assumed"]
    assert DEFAULT not in told["assumed"]
    assert "per_device_eval_batch_size: 1" in silent["notes"][0]
    assert silent["plan"] == []  # and no shorter sequences


@pytest.mark.parametrize("word", ["", "--do_eval", "--do_eval --eval_strategy no"])
def test_a_trainer_that_does_not_evaluate_has_no_evaluation(of: Of, word: str) -> None:
    found = of(TRAINER.format(more=word), "run.sh")
    assert "evaluation" not in found["phases"]
    assert found["verdict"] == "fits"
    assert (found["notes"], DEFAULT in found["assumed"]) == ([], False)


def test_llama_factory_takes_the_trainers_default(of: Of) -> None:
    assert "evaluation" not in of(LLAMA_FACTORY, "run.yaml")["phases"]
    found = of(LLAMA_FACTORY + "eval_strategy: steps\n", "run.yaml")
    assert DEFAULT in found["assumed"]
    assert found["verdict"] == "does-not-fit"


def test_a_loss_in_chunks_by_default_leaves_the_evaluation_open(of: Of) -> None:
    """TRL 1.x never makes the logits, an older one makes them all."""
    assert of(TRL, "run.yaml")["verdict"] == "fits"
    found = of(TRL + "eval_strategy: steps\n", "run.yaml")
    assert found["verdict"] == "probably-fits"
    assert found["device"]["high"] > found["capacity"]
    assert "per_device_eval_batch_size: 1" in found["notes"][0]


def test_axolotl_evaluates_with_the_micro_batch(of: Of) -> None:
    silent = of(AXOLOTL + "evals_per_epoch: 4\n", "run.yaml")
    assert silent["phases"]["evaluation"] > 80 * 2**30
    one = of(AXOLOTL + "evals_per_epoch: 4\neval_batch_size: 1\n", "run.yaml")
    assert one["phases"]["evaluation"] < 20 * 2**30
    assert "evaluation" not in of(AXOLOTL, "run.yaml")["phases"]
    cut = AXOLOTL.replace("liger_fused_linear_cross_entropy", "cut_cross_entropy")
    assert of(cut + "evals_per_epoch: 4\n", "run.yaml")["phases"]["evaluation"] < 20 * 2**30
