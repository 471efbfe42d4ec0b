"""A peak learning rate of Adam that overwrites the weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.files import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

TEXT = """learning_rate: {rate}
optim: {optimizer}
per_device_train_batch_size: 2
num_train_epochs: 2
output_dir: out
"""


@pytest.mark.parametrize(
    ("rate", "optimizer", "fires"),
    [
        ("3", "adamw_torch", True),
        ("0.2", "adamw_torch", True),
        ("2.0e-5", "adamw_torch", False),
        ("0.1", "sgd", False),
        ("1.0", "adafactor", False),
        ("1.0", "prodigy", False),
    ],
)
def test_rates_of_adam(lint_text: Lint, rate: str, optimizer: str, fires: bool) -> None:
    found = lint_text(TEXT.format(rate=rate, optimizer=optimizer))
    told = [f for f in found if f.name == "learning-rate-not-survivable"]
    assert bool(told) == fires
    if told:
        assert (told[0].severity, told[0].line) == ("warning", 1)
        assert "learning-rate-too-high" not in {f.name for f in found}


def test_an_optimizer_that_is_not_known(lint_text: Lint) -> None:
    found = lint_text("lr: 0.5\nbatch_size: 8\nsteps: 1000\n")
    assert "learning-rate-not-survivable" not in {f.name for f in found}


@pytest.mark.parametrize(
    ("written", "fires"),
    [
        ("flash_attn2", True),
        ("flash-attention-2", True),
        ("flash_attention2", True),
        ("flash_attention_2", False),
        ("sdpa", False),
        ("kernels-community/flash-attn2", False),
        ("my_own_attention", False),
    ],
)
def test_the_name_of_an_attention(lint_text: Lint, written: str, fires: bool) -> None:
    text = f"model_name_or_path: a/b\nattn_implementation: {written}\nlearning_rate: 1.0e-5\n"
    found = lint_text(text + "per_device_train_batch_size: 2\noutput_dir: out\n")
    told = [f for f in found if f.name == "flag-value-not-accepted"]
    assert [f.line for f in told] == ([2] if fires else [])
