"""Processes of accelerate's file against the GPUs that it names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

NAME = "more-ranks-than-gpus"
FILE = """compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
gpu_ids: {ids}
machine_rank: 0
num_machines: {machines}
num_processes: {processes}
"""
Lint = Callable[..., tuple[LintFinding, ...]]


@pytest.mark.parametrize(
    ("ids", "machines", "processes"), [("0,1,2,3", 1, 8), ("4, 5", 1, 4), ("0,1,2,3", 2, 16)]
)
def test_more_processes_than_gpus(lint_text: Lint, ids: str, machines: int, processes: int) -> None:
    found = lint_text(FILE.format(ids=ids, machines=machines, processes=processes), "acc.yaml")
    assert [(f.name, f.line) for f in found] == [(NAME, 6)]


@pytest.mark.parametrize(
    ("ids", "machines", "processes"),
    [("0,1,2,3", 1, 4), ("0,1,2,3", 1, 2), ("0,1,2,3", 2, 8), ("all", 1, 8)],
)
def test_enough_gpus(lint_text: Lint, ids: str, machines: int, processes: int) -> None:
    assert lint_text(FILE.format(ids=ids, machines=machines, processes=processes), "acc.yaml") == ()
