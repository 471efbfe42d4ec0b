"""What changes make of the tokens per step, as the user is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medic.changes import tokens_told
from medic.i18n import Text
from medic.run_config import Change, Origin, RunConfig, Scalar, Value

PARTS = {
    "micro_batch_size": 8,
    "gradient_accumulation_steps": 4,
    "data_parallel_size": 16,
    "sequence_length": 1024,
    "nodes": 2,
    "gpus_per_node": 8,
}


def changes(**new: Scalar) -> list[Change]:
    return [Change(name, None, value, Text("", "")) for name, value in new.items()]


@pytest.mark.parametrize(
    ("more", "new", "told"),
    [
        ({}, {"micro_batch_size": 4, "gradient_accumulation_steps": 8}, ""),
        ({}, {"learning_rate": 1e-4}, ""),
        ({}, {"micro_batch_size": 4}, "tokens per step 524,288 -> 262,144 (x0.5)"),
        ({}, {"sequence_length": 512}, "524,288 -> 262,144 (x0.5)"),
        ({}, {"gpus_per_node": 6}, "524,288 -> 393,216 (x0.75)"),
        ({"world_size": 16}, {"world_size": 32}, "524,288 -> 1,048,576 (x2)"),
        ({"global_batch_size": 512}, {"micro_batch_size": 4}, ""),
        ({"global_batch_size": 512}, {"global_batch_size": 256}, "524,288 -> 262,144 (x0.5)"),
        ({"global_batch_tokens": 10**6}, {"micro_batch_size": 4}, ""),
        ({"sequence_length": None}, {"micro_batch_size": 4}, "sequences per step 512 -> 256"),
        ({"micro_batch_size": None}, {"gradient_accumulation_steps": 2}, ""),
    ],
)
def test_what_differs_is_told(
    config: Callable[..., RunConfig], more: dict[str, Any], new: dict[str, Scalar], told: str
) -> None:
    values = {name: value for name, value in {**PARTS, **more}.items() if value is not None}
    run = config(**values, derived=("data_parallel_size",))
    text = tokens_told(run, changes(**new))
    assert text is None if not told else text is not None and told in text.en


def test_where_places_disagree_there_is_no_one_batch(config: Callable[..., RunConfig]) -> None:
    run = config(**PARTS)
    other = Value(8, Origin("file"), ((16, Origin("file")),))
    values = {**run.values, "micro_batch_size": other}
    assert tokens_told(RunConfig(values), changes(gradient_accumulation_steps=2)) is None
