"""Where the ranks of one job meet, and switches that a launch script still sets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
ENDPOINT, DEBUG = "rendezvous-endpoint-wrong", "debug-switches-left-on"
RANKS = (
    "PORT=29500\n"
    "torchrun --nnodes 2 --node_rank 0 --master_addr 10.0.0.1 --master_port $PORT a.py --lr 1 &\n"
    'ssh two "torchrun --nnodes 2 --node_rank 1 --master_addr 10.0.0.1 --master_port 29500 a.py --lr 1"\n'
)


def _told(found: tuple[LintFinding, ...], name: str) -> list[tuple[int, str]]:
    return [(f.line, f.severity) for f in found if f.name == name]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", []),
        ("29500 a.py", "29501 a.py", [(3, "error")]),
        ("=29500", "=29600", [(3, "error")]),
        ("_rank 1 --master_addr 10.0.0.1", "_rank 1 --master_addr 10.0.0.2", [(3, "error")]),
        ("_rank 0 --master_addr 10.0.0.1", "_rank 0 --master_addr localhost", [(2, "error")]),
        ("29500 a.py", "29501 b.py", []),  # another job
        ("_rank 1", "_rank 0", []),
        ("29500 a.py", "$((PORT)) a.py", []),
        ("=29500", "=80", [(1, "info"), (3, "error")]),
        ("=29500", "=0", [(3, "error")]),
    ],
)
def test_ranks_of_one_job(lint_text: Lint, old: str, new: str, told: list[tuple[int, str]]) -> None:
    found = lint_text(RANKS.replace(old, new), "run.sh")
    assert _told(found, ENDPOINT) == told


@pytest.mark.parametrize(
    "line",
    [
        "export CUDA_LAUNCH_BLOCKING=1",
        "export A=1 TORCH_DISTRIBUTED_DEBUG=DETAIL",
        "NCCL_DEBUG=TRACE torchrun a.py",
        "export PYTORCH_NO_CUDA_MEMORY_CACHING=1",
        "torchrun b.py --detect_anomaly",
        "torchrun b.py trainer.detect_anomaly=True",
        "torchrun b.py --debug underflow_overflow",
    ],
)
def test_a_switch_is_told_of(lint_text: Lint, line: str) -> None:
    found = lint_text(f"#!/bin/bash\n{line}\n{line}\ntorchrun train.py --lr 1e-4\n", "run.sh")
    assert _told(found, DEBUG) == [(2, "info")]


@pytest.mark.parametrize(
    "line",
    [
        "export CUDA_LAUNCH_BLOCKING=0",
        "# export CUDA_LAUNCH_BLOCKING=1",
        "export NCCL_DEBUG=INFO TORCH_DISTRIBUTED_DEBUG=INFO",
        "# a workaround: the training hangs without it\nexport CUDA_LAUNCH_BLOCKING=1",
        "export CUDA_LAUNCH_BLOCKING=1  # do not remove",
        "echo CUDA_LAUNCH_BLOCKING=1 'CUDA_LAUNCH_BLOCKING=1'\ncat <<E\nexport NCCL_DEBUG=TRACE\nE",
        "torchrun b.py --detect_anomaly False --debug",
    ],
)
def test_what_is_off_or_meant_to_stay(lint_text: Lint, line: str) -> None:
    found = lint_text(f"#!/bin/bash\n{line}\ntorchrun train.py --lr 1e-4\n", "run.sh")
    assert _told(found, DEBUG) == []
