"""Whose parser a command has, and what a name stands for in a script of somebody's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]


def _said(found: tuple[LintFinding, ...]) -> str:
    return "\n".join(one.message.en for one in found)


_SWIFT = " sft --model a/b --dataset /d/t.jsonl --torch_dtype bfloat16 --packing true --save /o --lr 2e-5 {}\n"


def test_a_program_is_its_own_whatever_it_is_given(lint_text: Lint) -> None:
    strange = "--per_device_train_batch_size 1 --global_batch_size 16"
    found = lint_text("megatron" + _SWIFT.format(strange), "run.sh")
    assert "packing needs" not in _said(found)
    assert "sft has no --per_device_train_batch_size" in _said(found)
    plain = lint_text("swift" + _SWIFT.format("--per_device_train_batch_size 1"), "run.sh")
    assert "packing needs" in _said(plain)


_LORA = (
    "python train_grpo.py --dataset_name d --lora_r 16 --num_generations 4 --output_dir o --{}\n"
)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("model_name_or_path m", True),
        ("model_name_or_path m --use_lora True", False),
        ("model_name m --beta 0.1", False),
        ("model_name_or_path m --use_peft", False),
    ],
)
def test_an_adapter_by_another_switch(lint_text: Lint, flags: str, told: bool) -> None:
    assert ("without use_peft" in _said(lint_text(_LORA.format(flags), "run.sh"))) is told


_DROP = "torchrun --nproc_per_node 8 run_clm.py --output_dir o --per_device_train_batch_size 2 --learning_rate 1e-5 --model_name_or_path m {}\n"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--attention_dropout 0.9", True),
        ("--disable_dropout 1", False),
        ("--use_dropout 1", False),
        ("--attention_dropout 0.1", False),
    ],
)
def test_a_switch_is_no_share(lint_text: Lint, flags: str, told: bool) -> None:
    assert ("dropout" in _said(lint_text(_DROP.format(flags), "run.sh"))) is told


_TRL = (
    "accelerate launch --num_processes 4 {} --model_name_or_path a/b --{} d --learning_rate 2e-5 "
    "--per_device_train_batch_size 4 --gradient_accumulation_steps 1 --output_dir o "
    "--num_train_epochs 2 --attn_implementation sdpa --use_peft --lora_r 32 --lora_alpha 32\n"
)


def test_a_beginning_is_the_whole_name_of_an_own_flag(lint_text: Lint) -> None:
    assert "only as its beginning" not in _said(
        lint_text(_TRL.format("my_sft.py", "dataset"), "r.sh")
    )


@pytest.mark.parametrize(
    ("key", "told"), [("trainer.save_freq", False), ("data.train_files", True), ("optim.lr", True)]
)
def test_a_plus_before_what_every_release_has(lint_text: Lint, key: str, told: bool) -> None:
    words = "data.train_files=a data.val_files=b model.partial_pretrain=m trainer.total_epochs=2"
    text = f"torchrun --nproc_per_node 2 -m verl.trainer.fsdp_sft_trainer {words} +{key}=6\n"
    assert ("has this key" in _said(lint_text(text, "run.sh"))) is told


def test_the_place_of_two_precisions_is_that_of_the_one_named(lint_text: Lint) -> None:
    text = '{\n "bf16": {"enabled": true},\n "fp16": {\n  "enabled": true\n },\n "train_batch_size": 8\n}\n'
    (one,) = (f for f in lint_text(text, "ds.json") if f.name == "conflicting-values")
    assert (one.line, one.message.en[:18]) == (4, "precision is fp16 ")
