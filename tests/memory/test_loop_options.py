"""Loops of one's own: options with their defaults, and DeepSpeed's engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
LOOP = """
import torch
{top}
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained({name}, dtype=torch.bfloat16).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
for step, batch in enumerate(DataLoader(ds, batch_size={batch})):
    loss = model(input_ids=batch, labels=batch).loss
    loss.backward()
    if (step + 1) % {accumulation} == 0:
        opt.step(); opt.zero_grad()
"""
ARGPARSE = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--model", default="Qwen/Qwen2.5-1.5B")
p.add_argument("-b", "--batch-size", type=int, default={batch})
p.add_argument("--accum", type=int, default=8)
p.add_argument("--seq-len", type=int, default=1024)
args = p.parse_args()"""
DATACLASS = """from dataclasses import dataclass, field
@dataclass
class Config:
    model: str = "Qwen/Qwen2.5-1.5B"
    batch_size: int = {batch}
    accum: int = 8
    seq_len: int = field(default=1024)
args = Config()"""
OF_ARGS = {"name": "args.model", "batch": "args.batch_size", "accumulation": "args.accum"}
WRITTEN = {"name": '"Qwen/Qwen2.5-1.5B"', "batch": "4", "accumulation": "8"}
ENGINE = """import argparse
import deepspeed
import torch
from transformers import AutoModelForCausalLM
p = argparse.ArgumentParser()
p.add_argument("--batch_size", type=int, default=1)
p.add_argument("--seq_len", type=int, default=2048)
args = p.parse_args()
settings = {{
    "train_micro_batch_size_per_gpu": args.batch_size,
    "gradient_accumulation_steps": 4,
    "bf16": {{"enabled": True}},
    "zero_optimization": {{"stage": {stage}, "reduce_bucket_size": 50000000}},
}}
{init}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype=torch.bfloat16)
model.gradient_checkpointing_enable()
engine, *_ = deepspeed.initialize(model=model, config={config})
for batch in loader:
    engine.backward(engine(input_ids=batch, labels=batch).loss)
    engine.step()
"""


@pytest.fixture
def of(sized: Sized, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def call(program: str, *more: str, gpu: str = "h100-80g", **files: str) -> dict[str, Any]:
        (tmp_path / "train.py").write_text(program, "utf-8")
        names = {name.replace("_", "."): text for name, text in files.items()}
        for name, text in names.items():
            (tmp_path / name).write_text(text, "utf-8")
        paths = [str(tmp_path / name) for name in (*names, "train.py")]
        return sized(*paths, *more, "--gpu", gpu)

    return call


@pytest.mark.parametrize("options", [ARGPARSE, DATACLASS])
def test_defaults_of_options_count_as_what_is_written(of: Any, options: str) -> None:
    asked = of(LOOP.format(top=options.format(batch=4), **OF_ARGS))
    written = of(LOOP.format(top="seq_len = 1024", **WRITTEN))
    assert asked["device"] == written["device"]
    assert asked["unknown"] == []
    assert asked["model"] == "qwen2.5-1.5b"


def test_what_is_launched_goes_before_the_defaults(of: Any) -> None:
    program = LOOP.format(top=ARGPARSE.format(batch=4), **OF_ARGS)
    launched = of(program, run_sh="python train.py --batch-size 2\n")
    assert launched["device"] == of(program.replace("default=4", "default=2"))["device"]


def test_an_option_without_a_default_stays_open(of: Any) -> None:
    program = LOOP.format(top=ARGPARSE.format(batch=4), **OF_ARGS)
    assert of(program.replace(", default=4", ""))["unknown"] == ["micro_batch_size"]
    assert of(
        program.replace("p.parse", 'p.add_argument("--batch_size", default=9)\nargs = p.parse')
    )["unknown"] == ["micro_batch_size"]


def engine(stage: int, init: str = "", config: str = "settings") -> str:
    return ENGINE.format(stage=stage, init=init, config=config)


def test_an_engine_is_told_by_its_dict(of: Any) -> None:
    found = of(engine(2), gpu="8xh100-80g")
    stated = json.dumps({"zero_optimization": {"stage": 2, "reduce_bucket_size": 50_000_000},
                         "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4,
                         "bf16": {"enabled": True}})  # fmt: skip
    by_file = of(engine(2, config='"ds.json"'), gpu="8xh100-80g", ds_json=stated)
    assert found["device"] == by_file["device"]
    assert found["parts"]["optimizer"] == pytest.approx(7.6e9 * 12 / 8, rel=0.02)


def test_an_engine_of_a_file_that_was_not_given_stays_open(of: Any) -> None:
    assert "zero_stage" in of(engine(2, config='"ds.json"'), gpu="8xh100-80g")["unknown"]
    assert of(engine(2, config="read()"), gpu="8xh100-80g")["device"]["low"] is None


@pytest.mark.parametrize(
    ("init", "whole"),
    [("", True), ("from transformers.integrations import HfDeepSpeedConfig\n"
                  "kept = HfDeepSpeedConfig(settings)", False)],
)  # fmt: skip
def test_without_its_init_stage_3_puts_the_whole_model_on_each_card(
    of: Any, init: str, whole: bool
) -> None:
    found = of(engine(3, init), gpu="64xh100-80g")
    assert (found["phases"]["load"] > 2 * 7.6e9) is whole


SWITCHED = """import argparse, torch
from transformers import AutoModelForCausalLM
p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int, default=4)
p.add_argument("--seq-len", type=int, default=2048)
p.add_argument("--grad-ckpt", action="store_true")
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", torch_dtype=torch.bfloat16).cuda()
if a.grad_ckpt: model.gradient_checkpointing_enable()
opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in loader:
    model(**batch).loss.backward(); opt.step(); opt.zero_grad()
"""


@pytest.mark.parametrize(
    ("words", "micro", "recomputes"),
    [
        ("--batch-size 8 --grad-ckpt", "", True),
        ("--grad-ckpt --batch-size 8", "", True),
        ("--batch-size 8", "", False),
        ("--grad-ckpt", "micro_batch_size = 4 (train.py:4)", True),
        ("", "micro_batch_size = 4 (train.py:4)", False),
    ],
)
def test_a_switch_of_one_s_own_and_the_batch_s_default_are_read(
    sized: Sized, tmp_path: Path, words: str, micro: str, recomputes: bool
) -> None:
    (tmp_path / "train.py").write_text(SWITCHED)
    (tmp_path / "run.sh").write_text(f"python train.py {words}\n".replace(" \n", "\n"))
    found = sized(str(tmp_path / "run.sh"), str(tmp_path / "train.py"), "--gpu=24GB")
    told = [line for line in found["assumed"] if "micro_batch_size" in line]
    assert told == ([micro] if micro else [])
    off = [line for line in found["assumed"] if "activation_checkpointing = off" in line]
    assert bool(off) is not recomputes
