"""The config.yaml that W&B writes for a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from medic.probes.config.readers.wandb import unwrapped

from medic.syntax import parse

TEXT = """wandb_version: 1
_wandb: {value: {cli_version: 0.17.0}}
learning_rate:
  desc: null
  value: 0.001
model:
  value: {hidden_size: 64}
note: {value: 1, other: 2}
"""


def test_each_value_stands_at_its_own_key(look: Callable[..., Any]) -> None:
    root = unwrapped(parse(TEXT.encode(), "config.yaml")).root
    assert root is not None
    values = {".".join(path): node.value for path, _, node in root.leaves()}
    assert values == {
        "learning_rate": 0.001, "model.hidden_size": 64, "note.value": 1, "note.other": 2
    }  # fmt: skip
    rate = root.get("learning_rate")
    assert rate is not None
    assert rate.span.line == 5


def test_other_files_stay_as_they_are() -> None:
    document = parse(b"learning_rate: {value: 0.001}\n", "config.yaml")
    assert unwrapped(document) is document
