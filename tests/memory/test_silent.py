"""What frameworks do where their config says nothing: assumed as they do it, and told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
Write = Callable[..., dict[str, str]]

MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
    "--num-attention-heads 32 --swiglu --seq-length 4096 --max-position-embeddings 4096 "
    "--micro-batch-size 1 --global-batch-size 64 --bf16 --lr 1e-4 --vocab-size 32000 "
    "--tensor-model-parallel-size 8"
)
TITAN = """[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
[parallelism]
data_parallel_shard_degree = -1
"""
LITGPT = """checkpoint_dir: checkpoints/meta-llama/Llama-3.2-3B
precision: bf16-true
devices: 4
train: {global_batch_size: 64, micro_batch_size: 1, max_seq_length: 4096}
optimizer: AdamW
"""
OPENRLHF = (
    "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain meta-llama/Meta-Llama-3-8B "
    "--max_len 4096 --micro_train_batch_size 2 --train_batch_size 256 --dataset x"
)
VERL_SFT = (
    "torchrun --nproc_per_node 8 -m verl.trainer.fsdp_sft_trainer data.max_length=4096 "
    "data.micro_batch_size_per_gpu=4 model.partial_pretrain=Qwen/Qwen2.5-7B"
)
NEOX = """{"num-layers": 24, "hidden-size": 2048, "num-attention-heads": 16, "seq-length": 2048,
"pipe-parallel-size": 1, "model-parallel-size": 1, "max-position-embeddings": 2048,
"train_micro_batch_size_per_gpu": 4, "optimizer": {"type": "Adam", "params": {"lr": 1e-4}}, "train-iters": 9}
"""


@pytest.fixture
def told(tmp_path: Path, run: Run) -> Write:
    def call(name: str, text: str, *words: str) -> dict[str, str]:
        (tmp_path / name).write_text(text)
        found: dict[str, Any] = json.loads(run(str(tmp_path / name), "--json", *words)[1])
        pairs = (one.partition(" = ") for one in found["assumed"])
        return {field: value for field, _, value in pairs} | {"verdict": found["verdict"]}

    return call


def test_megatron_ties_the_head_unless_told(told: Write) -> None:
    assumed = told("run.sh", MEGATRON)
    assert assumed["tied_embeddings"] == "on"
    assert assumed["ffn_size"] == "10880"  # int(4 * 4096 * 2 / 3 / 64) * 64
    assert assumed["activation_checkpointing"] == "off"
    untied = told("run.sh", f"{MEGATRON} --untie-embeddings-and-output-weights")
    assert "tied_embeddings" not in untied


def test_hidden_flags_leave_megatron_open(told: Write) -> None:
    assumed = told("run.sh", f"{MEGATRON} $MORE_ARGS")
    assert assumed["tied_embeddings"] == "off"  # as the heavier of two that are open


def test_torchtitan_recomputes_every_second_layer(told: Write) -> None:
    assumed = told("train.toml", TITAN, "--set=world_size=8")
    assert assumed["activation_checkpointing"] == "every second layer"
    none = told(
        "train.toml", TITAN + '[activation_checkpoint]\nmode = "none"\n', "--set=world_size=8"
    )
    assert "activation_checkpointing" not in none


def test_litgpt_recomputes_where_it_finetunes_over_several_gpus(told: Write) -> None:
    assert told("full.yaml", LITGPT)["activation_checkpointing"] == "on"
    one = LITGPT.replace("devices: 4", "devices: 1")
    assert told("full.yaml", one)["activation_checkpointing"] == "off"


@pytest.mark.parametrize(
    ("name", "text", "fields"),
    [
        (
            "a.sh",
            OPENRLHF,
            {"zero_stage": "2", "precision": "bf16", "activation_checkpointing": "off"},
        ),
        ("b.sh", VERL_SFT, {"fsdp": "on", "precision": "bf16", "activation_checkpointing": "on"}),
        (
            "c.sh",
            "swift sft --model Qwen/Qwen3-8B --train_type full --max_length 4096 --dataset x",
            {"precision": "bf16", "parameter_dtype": "bf16", "activation_checkpointing": "on"},
        ),
        ("d.yml", NEOX, {"tied_embeddings": "on", "attention": "eager"}),
        (
            "e.sh",
            "python3 -m verl.trainer.main worker.actor.model.model_path=Qwen/Qwen3-8B "
            "data.max_prompt_length=512 data.max_response_length=512",
            {"fsdp": "on", "precision": "bf16", "parameter_dtype": "fp32"},
        ),
    ],
)
def test_what_is_silent_is_what_the_framework_does(
    told: Write, name: str, text: str, fields: dict[str, str]
) -> None:
    assumed = told(name, text)
    assert {field: assumed.get(field) for field in fields} == fields


def test_what_is_written_is_not_assumed(told: Write) -> None:
    assumed = told("a.sh", f"{OPENRLHF} --zero_stage 3 --gradient_checkpointing")
    assert "zero_stage" not in assumed
    assert "activation_checkpointing" not in assumed
    flash = NEOX.replace('"train-iters"', '"attention-config": [[["flash"], 24]], "train-iters"')
    assert told("d.yml", flash)["attention"] != "eager"
