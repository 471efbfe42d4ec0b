"""Processes and machines of accelerate's file against what the job asks of Slurm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SCRIPT = """#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4
{start}accelerate launch --config_file acc.yaml {more}train.py --per_device_train_batch_size 4
"""
FILE = """compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  deepspeed_config_file: ds.json
machine_rank: 0
num_machines: {machines}
num_processes: {processes}
"""
ENGINE = (
    '{"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, '
    '"gradient_accumulation_steps": 4, "zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}\n'
)
MANY, OTHERWISE = "more-ranks-than-gpus", "launch-not-as-allocated"


def _linted(
    lint_text: Lint, processes: int, machines: int, nodes: int = 1, start: str = "", more: str = ""
) -> list[LintFinding]:
    script = SCRIPT.replace("--nodes=1", f"--nodes={nodes}").format(start=start, more=more)
    file = FILE.format(machines=machines, processes=processes)
    return list(lint_text(script, "run.sh", {"acc.yaml": file, "ds.json": ENGINE}))


@pytest.mark.parametrize(
    ("processes", "machines", "nodes", "start", "cause", "line"),
    [
        (8, 1, 1, "", MANY, 7),
        (2, 1, 1, "", OTHERWISE, 7),
        (4, 2, 1, "", OTHERWISE, 6),
        (8, 1, 2, "srun ", OTHERWISE, 6),
    ],
)
def test_counts_that_the_job_does_not_have_are_told(
    lint_text: Lint, processes: int, machines: int, nodes: int, start: str, cause: str, line: int
) -> None:
    found = _linted(lint_text, processes, machines, nodes, start)
    assert (cause, line) in [(f.name, f.line) for f in found if f.file.endswith("acc.yaml")]


def test_a_count_of_the_command_is_told_there(lint_text: Lint) -> None:
    found = _linted(lint_text, 4, 1, more="--num_processes 8 ")
    assert (MANY, 5) in [(f.name, f.line) for f in found if f.file.endswith("run.sh")]


def test_no_batch_is_computed_from_processes_that_are_not_there(lint_text: Lint) -> None:
    found = {f.name: f for f in _linted(lint_text, 8, 1)}
    assert found["train-batch-mismatch"].fix is None
    assert "settle the number of processes first" in found["train-batch-mismatch"].by_hand[0].en


@pytest.mark.parametrize(
    ("processes", "more"), [(4, ""), (8, "--num_processes 4 "), (8, "--num_processes $N ")]
)
def test_counts_as_the_job_has_them_are_not_told(
    lint_text: Lint, processes: int, more: str
) -> None:
    names = {f.name for f in _linted(lint_text, processes, 1, more=more)}
    assert names.isdisjoint((MANY, OTHERWISE))
