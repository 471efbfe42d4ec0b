"""Weights that wait on the host: what is left on the GPU, by any framework's setting for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
Run = Callable[..., tuple[int, str, str]]
AXOLOTL = """base_model: meta-llama/Llama-3.1-70B
load_in_4bit: true
adapter: qlora
lora_r: 16
lora_target_linear: true
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 4
bf16: true
gradient_checkpointing: true
fsdp: [{words}]
fsdp_config: {{fsdp_transformer_layer_cls_to_wrap: LlamaDecoderLayer{more}}}
"""
OPENRLHF = (
    "deepspeed --module openrlhf.cli.train_sft --max_len 4096 --dataset x --train_batch_size 256 "
    "--micro_train_batch_size 2 --pretrain meta-llama/Meta-Llama-3-8B --save_path c --zero_stage 2 "
    "--bf16 --learning_rate 5e-6 --gradient_checkpointing{more}\n"
)
TORCHRUN = (
    "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path mistralai/Mistral-7B-v0.1 --do_train "
    "--dataset_name x --per_device_train_batch_size 1 --block_size 4096 --bf16 --output_dir o "
    '--gradient_checkpointing --fsdp "full_shard auto_wrap{more}"\n'
)
VERL = """python3 -m verl.trainer.main_ppo data.max_prompt_length=512 data.max_response_length=1024 \\
 actor_rollout_ref.model.path=Qwen/Qwen2-7B-Instruct trainer.n_gpus_per_node=8 \\
 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 {more}
"""


def parts(sized: Sized, file: Path, text: str) -> dict[str, int]:
    file.write_text(text)
    found: dict[str, int] = sized(str(file), "--gpu=24GB", world_size=2)["parts"]
    return {"weights": 0, "gradients": 0, "optimizer": 0, **found}


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("full_shard, auto_wrap", ", fsdp_offload_params: true"),
        ("full_shard, auto_wrap, offload", ""),
    ],
)
def test_quantised_shards_and_adapters_lie_on_the_host(
    sized: Sized, tmp_path: Path, words: str, more: str
) -> None:
    found = parts(sized, tmp_path / "q.yml", AXOLOTL.format(words=words, more=more))
    assert found["weights"] == found["gradients"] == found["optimizer"] == 0
    assert 3 * 2**30 < found["gathered weights"] < 6 * 2**30  # the ends in 16 bits, layers packed


@pytest.mark.parametrize("more", ["", ", fsdp_offload_params: false"])
def test_shards_that_nothing_offloads_stay(sized: Sized, tmp_path: Path, more: str) -> None:
    text = AXOLOTL.format(words="full_shard, auto_wrap", more=more)
    assert parts(sized, tmp_path / "q.yml", text)["weights"] > 18 * 2**30


@pytest.mark.parametrize("more", ["", " offload"])
def test_the_word_offload_among_those_of_fsdp_offloads(
    sized: Sized, tmp_path: Path, more: str
) -> None:
    found = parts(sized, tmp_path / "run.sh", TORCHRUN.format(more=more))
    assert (found["weights"] == 0) is bool(more)


@pytest.mark.parametrize("more", ["", " --adam_offload"])
def test_adam_offload_takes_the_optimizer_to_the_host(
    run: Run, sized: Sized, tmp_path: Path, more: str
) -> None:
    file = tmp_path / "run.sh"
    found = parts(sized, file, OPENRLHF.format(more=more))
    assert (found["optimizer"] == 0) is bool(more)
    assert found["weights"] > 14 * 2**30
    told = run(str(file), world_size=2)[1]
    assert ("host memory for what is offloaded" in told) is bool(more)


@pytest.mark.parametrize("role", ["ref", "actor"])
def test_weights_that_are_brought_back_before_the_update_are_there(
    sized: Sized, tmp_path: Path, role: str
) -> None:
    more = f"actor_rollout_ref.{role}.fsdp_config.param_offload=True"
    assert parts(sized, tmp_path / "run.sh", VERL.format(more=more))["weights"] > 0
