"""Reinforcement learning: whose ranks train, how long what is sampled gets, the rollout engine's part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
OPENRLHF = """python3 -m openrlhf.cli.train_ppo_ray \\
  --actor_num_nodes 1 --actor_num_gpus_per_node 8 --ref_num_nodes 1 --ref_num_gpus_per_node 8 \\
  --vllm_num_engines 4 --colocate_all_models --vllm_gpu_memory_utilization 0.5 \\
  --pretrain meta-llama/Meta-Llama-3-8B-Instruct --micro_train_batch_size 4 --train_batch_size 128 \\
  --zero_stage 3 --bf16 --gradient_checkpointing {lengths}
"""
GRPO = """model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
use_vllm: true
{share}
num_generations: 8
max_prompt_length: 512
max_completion_length: 1024
per_device_train_batch_size: 8
bf16: true
"""


def told(run: Run, file: Path, text: str, *more: str, lang: str = "en") -> str:
    file.write_text(text, "utf-8")
    out = run(str(file), *more, lang=lang)[1]
    return " ".join(out.split())


def test_the_ranks_of_the_actor_train_and_prompt_and_answer_are_one_sequence(
    run: Run, tmp_path: Path
) -> None:
    lengths = "--prompt_max_len 1024 --generate_max_len 3072"
    text = told(run, tmp_path / "train.sh", OPENRLHF.format(lengths=lengths), "--gpu", "h100-80g")
    assert "by the formulas" in text
    assert "Unknown" not in text
    assert "the rollout engine may take 39.6 GiB of the card (0.5 of it)" in text


def test_states_alone_hold_the_reference_model_in_either_line(run: Run, tmp_path: Path) -> None:
    text = told(run, tmp_path / "train.sh", OPENRLHF.format(lengths=""), "--gpu", "h100-80g")
    assert "Peak GPU memory: above 16.8 GiB" in text
    assert "with other assumptions at least 16.8 GiB" in text


@pytest.mark.parametrize("share", ["vllm_gpu_memory_utilization: 0.3", ""])
def test_a_rollout_engine_s_part_is_named_where_it_is_told(
    run: Run, tmp_path: Path, share: str
) -> None:
    file, text = tmp_path / "grpo.yaml", GRPO.format(share=share)
    on_card = told(run, file, text, "--gpu", "h100-80g")
    assert ("23.8 GiB of the card (0.3 of it)" in on_card) is bool(share)
    assert "rollout engine may take" not in told(run, file, text)  # no card, no bytes
    chinese = told(run, file, text, "--gpu", "h100-80g", lang="zh")
    assert ("rollout 引擎可占用 23.8 GiB 显存（整卡的 0.3）" in chinese) is bool(share)
