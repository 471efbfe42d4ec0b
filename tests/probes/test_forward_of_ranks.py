"""A rank whose forward pass is longer, and for which the others wait in the reduction."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "one-node-slows-all"


def run_of(folder: Path, forward: tuple[float, float], sync: tuple[float, float]) -> Result:
    for rank in (0, 1):
        rows = [
            {
                "step": n,
                "loss": 6 - n * 0.02 + rank * 0.01,
                "lr": 3e-4,
                "step_s": 0.3 + n % 3 * 0.01,
                "fwd_s": forward[rank] + n % 5 * 0.001,
                "bwd_allreduce_s": sync[rank] + n % 4 * 0.001,
            }
            for n in range(1, 61)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"metrics.rank{rank}.jsonl").write_text(text)
    return judge(Labelled("run", folder=str(folder)), load())


def test_one_of_two_ranks_is_waited_for(tmp_path: Path) -> None:
    assert run_of(tmp_path, (0.05, 0.21), (0.24, 0.08)).named[0] == CAUSE


@pytest.mark.parametrize(
    ("forward", "sync"),
    [
        ((0.05, 0.055), (0.24, 0.235)),
        ((0.05, 0.21), (0.24, 0.24)),  # nothing waits for it
    ],
)
def test_ranks_that_keep_pace(
    tmp_path: Path, forward: tuple[float, float], sync: tuple[float, float]
) -> None:
    assert CAUSE not in run_of(tmp_path, forward, sync).named[:1]
