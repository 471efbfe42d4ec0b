"""What launches state in their own way, and what their trainers make of it whatever is stated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
Run = Callable[..., tuple[int, str, str]]
QLORA = """from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4"{twice})
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-70B", quantization_config=bnb)
peft = LoraConfig(r=16, target_modules="all-linear")
cfg = SFTConfig(output_dir="o", per_device_train_batch_size=1, max_length=4096, bf16=True)
SFTTrainer(model=model, args=cfg, peft_config=peft, train_dataset=data).train()
"""
FACTORY = """model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
finetuning_type: full
deepspeed: ds_z3.json
cutoff_len: 2048
per_device_train_batch_size: 1
bf16: true
"""
ENGINE = '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}'
TORCHRUN = (
    "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path meta-llama/Llama-2-13b-hf --do_train "
    "--dataset_name x --per_device_train_batch_size 2 --block_size 4096 --output_dir o --optim adamw_torch "
    "--gradient_checkpointing{more}\n"
)
FSDP = ' --fsdp "full_shard auto_wrap"'


@pytest.mark.parametrize(
    ("twice", "low", "high"), [(", bnb_4bit_use_double_quant=True", 32, 34), ("", 35, 37)]
)
def test_scales_that_are_quantised_again_take_less(
    sized: Sized, tmp_path: Path, twice: str, low: float, high: float
) -> None:
    (tmp_path / "sft.py").write_text(QLORA.format(twice=twice))
    weights = sized(str(tmp_path / "sft.py"), "--gpu=48GB")["parts"]["weights"] / 2**30
    ends = 2 * 128256 * 8192 * 4 / 2**30
    assert low < weights - ends < high


@pytest.mark.parametrize(
    ("before", "shards"),
    [
        ("CUDA_VISIBLE_DEVICES=0,1,2,3 FORCE_TORCHRUN=1 ", 4),
        ("export CUDA_VISIBLE_DEVICES=0,1,2,3\nFORCE_TORCHRUN=1 ", 4),
        ("CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=2 ", 2),
        ("CUDA_VISIBLE_DEVICES=0,1,2,3 NNODES=2 ", 8),
        ("CUDA_VISIBLE_DEVICES=$GPUS ", 0),
    ],
)
def test_llama_factory_starts_a_rank_for_each_gpu_that_is_visible(
    sized: Sized, tmp_path: Path, before: str, shards: int
) -> None:
    (tmp_path / "run.sh").write_text(f"{before}llamafactory-cli train full.yaml\n")
    (tmp_path / "full.yaml").write_text(FACTORY)
    (tmp_path / "ds_z3.json").write_text(ENGINE)
    files = [str(tmp_path / name) for name in ("run.sh", "full.yaml", "ds_z3.json")]
    found = sized(*files, "--gpu=80GB")
    assert ("data_parallel_size" in found["unknown"]) is (shards == 0)
    if shards:
        assert found["parts"]["weights"] == pytest.approx(2 * 7.62e9 / shards, rel=0.02)


@pytest.mark.parametrize("more", [FSDP + " --bf16", FSDP, " --bf16"])
def test_weights_that_accelerate_makes_fp32_are_offered_in_no_other_type(
    run: Run, tmp_path: Path, more: str
) -> None:
    (tmp_path / "run.sh").write_text(TORCHRUN.format(more=more))
    out = " ".join(run(str(tmp_path / "run.sh"), "--gpu=40GB")[1].split())
    sure = more == FSDP + " --bf16"
    assert ("parameter_dtype" in out) is not sure


def test_a_model_alone_is_told_with_a_usual_batch(run: Run) -> None:
    out = " ".join(run("--model", "qwen2.5-0.5b", "--gpu=80GB")[1].split())
    assert "with micro_batch_size=1, sequence_length=4096, say: about" in out
    stated = run("--model", "qwen2.5-0.5b", micro_batch_size=1, sequence_length=4096)[1]
    assert ", say: about" not in stated
    assert "例如取 micro_batch_size=1" in run("--model", "qwen2.5-0.5b", lang="zh")[1]
