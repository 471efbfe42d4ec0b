"""Values that read otherwise for one sign: a comma for the thousands, the case of a letter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
BASE = """per_device_train_batch_size: 4
num_train_epochs: 2
learning_rate: 2.0e-5
output_dir: out
"""


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("data: {seq_length: 2,048, packing: true}", "2048"),
        ("data: {'seq_length': 2,048}", "2048"),
        ("data: {tokens: 1,048,576, packing: true}", "1048576"),
        ("data: {seq_length: 2048, packing: true}", ""),
        ("data: {seq_length: 2, 048: }", ""),  # parted on purpose
        ("data: {seq_length: 2,048: 1}", ""),
        ("sizes: {100,200}", ""),
    ],
)
def test_a_comma_between_braces(lint_text: Lint, line: str, whole: str) -> None:
    told = [f for f in lint_text(f"{BASE}{line}\n") if f.name == "option-reads-otherwise"]
    assert [f.line for f in told] == ([5] if whole else [])
    for one in told:
        assert one.fix is not None
        assert one.fix.patch is not None
        assert f" {whole}" in one.fix.patch.diff


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("lr_scheduler_type: Cosine", "cosine"),
        ("optim: AdamW_Torch", "adamw_torch"),
        ("eval_strategy: Steps", "steps"),
        ("lr_scheduler_type: cosine", ""),
        ("eval_strategy: steps", ""),
    ],
)
def test_words_of_transformers_are_exact(lint_text: Lint, line: str, meant: str) -> None:
    found = [f for f in lint_text(f"{BASE}{line}\n") if f.name == "flag-value-not-accepted"]
    assert [f.line for f in found] == ([5] if meant else [])
    assert all(f.message.en.endswith(f"{meant} is meant") for f in found)


def test_a_device_in_capitals(lint_text: Lint) -> None:
    text = (
        '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2,\n'
        ' "offload_optimizer": {"device": "%s"}}}\n'
    )
    found = lint_text(text % "CPU", "ds.json")
    assert [(f.name, f.line) for f in found] == [("flag-value-not-accepted", 2)]
    assert lint_text(text % "cpu", "ds.json") == ()


@pytest.mark.parametrize(
    ("value", "fires"), [('"False"', True), ("false", False), ('"True"', False)]
)
def test_a_switch_that_is_off_in_words(lint_text: Lint, value: str, fires: bool) -> None:
    text = (
        '{"per_device_train_batch_size": 2, "num_train_epochs": 1, "learning_rate": 1e-5,\n'
        f' "bf16": {value}, "output_dir": "o"}}\n'
    )
    told = [(f.name, f.line) for f in lint_text(text, "args.json")]
    assert told == ([("option-reads-otherwise", 2)] if fires else [])
