"""``[default3]:`` is the rank on its node: which of the run, the agent's lines tell or nothing does."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import LogHits, Tracebacks

LAST = [
    "Traceback (most recent call last):",
    '  File "/w/train.py", line 88, in main',
    "    loss.backward()",
    "ValueError: bad row",
]


def node(number: int, *, fails: bool = False, announced: bool = True) -> str:
    ranks = [number * 4 + local for local in range(4)]
    head = [
        "INFO: [default] Rendezvous complete for workers. Result:",
        f"  group_rank={number}",
        "  group_world_size=2",
        f"  global_ranks={ranks}",
    ]
    lines = head if announced else []
    for step in (1, 2, 3):
        lines += [f"[default{r}]:step {step}/100 loss {3 - step * 0.1:.2f}" for r in range(4)]
    if fails:
        lines += [f"[default3]:{line}" for line in LAST]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("files", "rank"),
    [
        ({"a.log": node(0), "b.log": node(1, fails=True)}, 7),
        ({"train.log": node(1, fails=True)}, 7),
        ({"train.log": node(0) + node(1, fails=True)}, None),  # the lines of both nodes in one
        (
            {
                "node0.log": node(0, announced=False),
                "node1.log": node(1, fails=True, announced=False),
            },
            None,
        ),
        ({"train.log": node(0, fails=True, announced=False)}, 3),
        (
            {  # two streams of one launch
                "train.out": node(0, announced=False),
                "train.err": node(0, fails=True, announced=False),
            },
            3,
        ),
    ],
)
def test_the_rank_of_a_local_one(read: Any, files: dict[str, str], rank: int | None) -> None:
    found = read(files)
    assert [t.source.rank for t in found[Tracebacks].all] == [rank]


def test_writers_that_nothing_tells_apart_log_no_steps_that_go_back(read: Any) -> None:
    lines = [f"[default{r}]:step {n - r}/100 loss 2.0" for n in range(3, 20) for r in (0, 1, 2)]
    of_node = "\n".join(lines) + "\n"
    steps = read({"node0.log": of_node, "node1.log": of_node})[LogHits].steps
    assert {s.source.rank for s in steps} == {None}
    for file in ("node0.log", "node1.log"):
        own = [s.step for s in steps if s.source.file == file]
        assert own == sorted(own)
