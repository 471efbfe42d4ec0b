"""A rank that stops early by itself, while the others wait for it; and one whose batches are over."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import collective_ranks

_STEP = "2026-01-02 10:00:{s:02d},744 [rank{r}] INFO train: step {n}/3000 loss=5.40 lr=2.000e-03\n"
_TIMEOUT = (
    "[rank0]:[E102 10:10:56.576932780 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=131, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, "
    "Timeout(ms)=600000) ran for 600018 milliseconds before timing out.\n"
)
_STOP = "2026-01-02 10:00:36,376 [rank{r}] INFO train: not improved for 12 steps, stopping early\n"
_END = "2026-01-02 10:00:36,402 [rank1] INFO train: training finished after 63 steps\n"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [((1,), "stopped-early"), ((), "left-the-loop"), ((0, 1), "left-the-loop")],
)
def test_why_a_rank_left(read: Any, said: tuple[int, ...], outcome: str) -> None:
    steps = "".join(_STEP.format(s=n // 2, r=r, n=n) for n in range(10, 70, 10) for r in (0, 1))
    text = steps + "".join(_STOP.format(r=r) for r in said) + _END + _TIMEOUT
    assert read(text).ask(collective_ranks.PROBE)["busy-rank"].outcome == outcome
