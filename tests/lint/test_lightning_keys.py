"""Keys and words that the Trainer of Lightning does not take."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
TEXT = """seed_everything: 42
trainer:
  accelerator: gpu
  devices: 4
  strategy: ddp
  max_steps: 50000
  accumulate_grad_batches: 4
  callbacks:
    - class_path: lightning.pytorch.callbacks.ModelCheckpoint
      init_args:
        monitor: val_loss
        every_n_train_steps: 1000
    - class_path: mine.Sampler
      init_args:
        every_n_train_step: 5
model:
  class_path: gpt.Module
  init_args:
    max_step: 3
"""
KEY, VALUE = "misspelt-config-key", "flag-value-not-accepted"


def test_keys_of_the_users_own_classes_are_left_alone(lint_text: Lint) -> None:
    assert lint_text(TEXT, "fit.yaml") == ()


@pytest.mark.parametrize(
    ("old", "new", "cause", "line"),
    [
        ("  max_steps", "  max_step", KEY, 6),
        ("accumulate_grad_batches", "gradient_accumulation_steps", KEY, 7),
        ("accumulate_grad_batches", "accumulate_gradient_batches", KEY, 7),
        ("every_n_train_steps", "every_n_train_step", KEY, 12),
        ("every_n_train_steps", "every_n_train_stepz", KEY, 12),
        ("strategy: ddp", "strategy: dpp", VALUE, 5),
        ("accelerator: gpu", "accelerator: gpus", VALUE, 3),
    ],
)
def test_each_slip_is_told(lint_text: Lint, old: str, new: str, cause: str, line: int) -> None:
    found = lint_text(TEXT.replace(old, new), "fit.yaml")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


def test_a_key_like_none_and_a_strategy_of_ones_own_are_left_alone(lint_text: Lint) -> None:
    text = TEXT.replace("strategy: ddp", "strategy: my_strategy\n  flush_every: 3")
    assert lint_text(text, "fit.yaml") == ()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("        every_n_epochs: 1\n", [13]),
        ("        every_n_epochs: 0\n", []),
        ("    - class_path: lightning.pytorch.callbacks.ModelCheckpoint\n      init_args:\n"
         "        every_n_epochs: 1\n", []),
    ],
)  # fmt: skip
def test_a_checkpoint_counts_one_way(lint_text: Lint, more: str, told: list[int]) -> None:
    steps = "        every_n_train_steps: 1000\n"
    found = lint_text(TEXT.replace(steps, steps + more), "fit.yaml")
    assert [f.line for f in found if f.name == "options-exclude-each-other"] == told
