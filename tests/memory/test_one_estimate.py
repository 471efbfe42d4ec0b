"""lint and memory tell one estimate of the same files, in the same words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.commands import main

Run = Callable[..., tuple[int, str, str]]
Sized = Callable[..., dict[str, Any]]
CONFIG = """model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
finetuning_type: lora
lora_rank: 8
lora_target: all
cutoff_len: {length}
per_device_train_batch_size: 3
bf16: true
"""
WORDS = {
    4096: ("fits, ", "放得下，余"),
    8192: ("tight, ", "偏紧，按估计值余"),
    16384: ("will not fit, at least ", "放不下，至少超出"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("length", WORDS)
def test_lint_says_what_memory_says(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], length: int, lang: str
) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(CONFIG.format(length=length), "utf-8")
    out = run(str(file), "--gpu", "a100-80g", lang=lang)[1]
    card = next(line for line in out.splitlines() if "a100-80g" in line)
    verdict = card.replace("：", ": ", 1).partition(": ")[2]
    main(["lint", str(file), "--set", "gpu=a100-80g", "--lang", lang])
    told = capsys.readouterr().err
    assert verdict.startswith(WORDS[length][lang == "zh"])
    assert verdict in told
    assert ("as on one GPU" if lang == "en" else "按单卡计") in told


def test_their_numbers_are_the_same(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(CONFIG.format(length=9216), "utf-8")
    device = json.loads(run(str(file), "--gpu", "a100-80g", "--json")[1])["device"]
    main(["lint", str(file), "--set", "gpu=a100-80g", "--json"])
    found = json.loads(capsys.readouterr().out)["memory"]
    assert {name: found[name] for name in device} == device


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("more", "claimed"), [("", False), ("enable_liger_kernel: false\n", True)])
def test_lint_says_why_what_will_not_fit_is_no_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, claimed: bool, lang: str
) -> None:
    """A setting that no file states may save the run; where all are stated it is a finding."""
    states = "flash_attn: sdpa\ntorch_compile: false\n" if more else ""
    file = tmp_path / "run.yaml"
    file.write_text(CONFIG.format(length=16384) + more + states, "utf-8")
    main(["lint", str(file), "--set", "gpu=a100-80g", "--lang", lang])
    out, told = capsys.readouterr()
    assert ("no finding" in told or "不计为问题" in told) == (not claimed)
    assert ("micro-batch-too-large" in out) == claimed


def test_an_assumption_and_the_remedy_that_does_the_same_have_one_number(sized: Sized) -> None:
    shared = {"world_size": 8, "zero_stage": 3, "micro_batch_size": 1, "sequence_length": 4096}
    for bound, gpu in (("at-least", "h100-80g"), ("exact", "240GiB")):
        found = sized("--model", "qwen2.5-72b", "--gpu", gpu, **shared)
        field = "activation_checkpointing"
        choice = next(one for one in found["choices"] if one["field"] == field)
        remedy = next(one for one in found["remedies"] if one["name"] == "recompute-activations")
        assert choice["device"] == remedy["device"]
        assert choice["bound"] == remedy["bound"] == bound


def test_a_lower_bound_of_an_assumption_is_said_to_be_one(run: Run) -> None:
    shared = {"world_size": 8, "zero_stage": 3, "micro_batch_size": 1, "sequence_length": 4096}
    for lang, words in (("en", "=true it would be at least"), ("zh", "=true，则至少为")):
        words_of = ("--model", "qwen2.5-72b", "--gpu", "h100-80g")
        assert words in " ".join(run(*words_of, lang=lang, **shared)[1].split())
