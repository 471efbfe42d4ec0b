"""Requests as engineers make them: scripts and launchers that say in their own way what is trained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
Sized = Callable[..., dict[str, Any]]
GIB = 2**30
FLAGS = "--model_name_or_path Qwen/Qwen2.5-1.5B --per_device_train_batch_size 4 --max_length 2048 --bf16"
DPO = """from trl import DPOConfig, DPOTrainer
args = DPOConfig(output_dir="o", per_device_train_batch_size=4, max_length=2048, bf16=True)
DPOTrainer(model="Qwen/Qwen2.5-1.5B", args=args, train_dataset=data).train()
"""
SFT = DPO.replace("DPO", "SFT")
UNSLOTH = """from trl import SFTConfig, SFTTrainer
from unsloth import FastLanguageModel
model, tok = FastLanguageModel.from_pretrained(
    model_name="unsloth/Meta-Llama-3.1-8B-bnb-4bit", max_seq_length=4096, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "v_proj"])
SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2, bf16=True)).train()
"""


def _file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", f"trl dpo {FLAGS} --gradient_checkpointing\n"),
        ("run.sh", f"python scripts/train_dpo.py {FLAGS} --gradient_checkpointing true\n"),
        ("train.py", DPO),
    ],
)
def test_a_run_of_preferences_counts_its_reference_and_both_answers(
    sized: Sized, tmp_path: Path, name: str, text: str
) -> None:
    found = sized(_file(tmp_path, name, text), "--gpu", "80g")
    other = sized(
        _file(tmp_path, name, text.replace("dpo", "sft").replace("DPO", "SFT")), "--gpu", "80g"
    )
    assert 5 < found["parts"]["reference model"] / GIB < 6  # 1.54e9 weights in fp32
    assert "reference model" not in other["parts"]
    assert found["parts"]["activations"] > 1.9 * other["parts"]["activations"]
    assert not found["not_modelled"]


def test_adapters_are_their_own_reference(sized: Sized, tmp_path: Path) -> None:
    text = f"trl dpo {FLAGS} --gradient_checkpointing --use_peft --lora_r 16\n"
    assert "reference model" not in sized(_file(tmp_path, "run.sh", text), "--gpu", "80g")["parts"]


def test_the_trainer_in_one_line_and_unsloths_arguments_are_read(
    sized: Sized, tmp_path: Path
) -> None:
    found = sized(_file(tmp_path, "train.py", UNSLOTH), "--gpu", "4090")
    assert found["model"] == "llama-3-8b"
    assert found["parts"]["weights"] < 9 * GIB
    assert found["parts"]["optimizer"] < GIB / 8
    assert found["not_modelled"] == ["Unsloth's kernels"]


def test_how_a_script_loads_its_model_counts(sized: Sized, tmp_path: Path) -> None:
    load = 'AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.bfloat16)'
    text = SFT.replace('DPOTrainer(model="Qwen/Qwen2.5-1.5B"', "").replace(
        '"Qwen/Qwen2.5-1.5B"', load
    )
    wide, half = (
        sized(_file(tmp_path, "train.py", one), "--gpu", "80g")["parts"]["weights"]
        for one in (SFT, text)
    )
    assert wide == pytest.approx(2 * half, rel=0.01)


def test_a_line_without_its_backslash_is_told(sized: Sized, tmp_path: Path) -> None:
    text = "torchrun train.py \\\n  --model_name_or_path Qwen/Qwen2.5-7B \n  --bf16 true\n"
    path = _file(tmp_path, "run.sh", text)
    assert any(f"{path}:2" in note for note in sized(path, "--gpu", "80g")["notes"])
    whole = _file(tmp_path, "run.sh", text.replace("7B \n", "7B \\\n"))
    assert not sized(whole, "--gpu", "80g")["notes"]


@pytest.mark.parametrize(("name", "known"), [("soap", False), ("adamw", True), ("lion", True)])
def test_moments_of_an_optimizer_that_is_not_known_are_not_claimed(
    sized: Sized, name: str, known: bool
) -> None:
    sizes = {"micro_batch_size": 1, "sequence_length": 1024}
    found = sized("--model", "qwen2.5-1.5b", "--gpu", "80g", optimizer=name, **sizes)
    assert found["not_modelled"] == ([] if known else [f"the states of the optimizer {name}"])


def test_torchtitan_is_offered_no_optimizer_that_it_has_not(sized: Sized, tmp_path: Path) -> None:
    text = """[model]
name = "qwen3"
flavor = "32B"
[optimizer]
name = "AdamW"
[training]
local_batch_size = 8
seq_len = 4096
[activation_checkpoint]
mode = "full"
"""
    found = sized(_file(tmp_path, "train.toml", text), "--gpu", "8xh100")
    assert found["remedies"]
    assert "lean-optimizer" not in {one["name"] for one in found["remedies"]}


def test_axolotl_trains_in_bf16_unless_told_otherwise(sized: Sized, tmp_path: Path) -> None:
    text = "base_model: Qwen/Qwen2.5-1.5B\nsequence_len: 2048\nmicro_batch_size: 1\nadapter: lora\nlora_r: 8\n"
    path = _file(tmp_path, "axolotl.yaml", f"{text}datasets: [{{path: d, type: alpaca}}]\n")
    assert "precision = bf16" in sized(path, "--gpu", "80g")["assumed"]


@pytest.mark.parametrize("word", ["nf4", "int4", "4bit"])
def test_a_quantisation_goes_by_its_usual_names(sized: Sized, word: str) -> None:
    found = sized(
        "--model", "llama-3-8b", "--gpu", "4090",
        quantization=word, lora_rank=16, micro_batch_size=1, sequence_length=1024,
    )  # fmt: skip
    assert found["parts"]["weights"] < 9 * GIB


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("unsloth/Meta-Llama-3.1-8B-bnb-4bit", "llama-3-8b"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen2.5-7b"),
        ("google/gemma-2-27b-it", "gemma-2-27b"),
        ("Phi-3-mini-4k-instruct", "phi-3-mini"),
    ],
)
def test_a_model_goes_by_its_usual_names(sized: Sized, words: str, model: str) -> None:
    assert sized("--model", words, "--gpu", "910b")["model"] == model
