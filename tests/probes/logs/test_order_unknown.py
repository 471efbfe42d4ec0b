"""Ranks that failed of themselves in files without times: nothing tells which was first."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import failing_rank

STEPS = "step 1 | loss 3.0\nstep 2 | loss 2.9\n"
KEY, VALUE = "KeyError: 'labels'", "ValueError: could not convert string to float: 'n/a'"
PEER = "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.21.5"


def failed(last: str, minute: int | None = None) -> str:
    lines = [
        "Traceback (most recent call last):",
        '  File "/w/train.py", line 7, in main',
        "    loss = step(batch)",
        last,
    ]
    at = "" if minute is None else f"2026-03-01 10:{minute:02d}:00 "
    steps = "".join(f"{at}{line}\n" for line in STEPS.splitlines())
    stop = f"{at}ERROR stopping\n" if at else ""
    return steps + stop + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("of_rank", "outcome"),
    [
        ([failed(KEY), failed(VALUE)], "order-unknown"),
        ([failed(KEY), failed(VALUE), failed(PEER)], "order-unknown"),
        ([failed(KEY), failed(KEY), failed(PEER)], "order-unknown"),
        ([failed(KEY, 5), failed(VALUE)], "order-unknown"),  # one clock of two
        ([failed(PEER), failed(VALUE), failed(PEER)], "died"),  # told by what it says
        ([failed(KEY), failed(KEY)], "all-at-once"),
        ([failed(KEY, 5), failed(VALUE, 2)], "died"),
    ],
)
def test_the_order_of_failures_needs_a_clock(read: Any, of_rank: list[str], outcome: str) -> None:
    found = read({f"rank{n}.log": text for n, text in enumerate(of_rank)})
    told = found.ask(failing_rank.PROBE)["first-failing-rank"]
    assert told.outcome.startswith(outcome)


def test_lines_of_one_file_stand_in_their_order(read: Any) -> None:
    text = "".join(
        f"[rank{n}]: {line}\n"
        for n, last in ((1, VALUE), (0, KEY))
        for line in failed(last).splitlines()
    )
    told = read("[rank0] step 1 | loss 3.0\n[rank2] step 1 | loss 3.0\n" + text)
    found = told.ask(failing_rank.PROBE)["first-failing-rank"]
    assert (found.outcome, found.value["rank"]) == ("died-before-others", 1)
