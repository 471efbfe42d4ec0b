"""Ranks of a failed job of which no log is here are named; of a sound run nobody asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.logs import unseen_ranks
from medic.probes.logs.unseen_ranks import SPAN

from medic.probe import Unread
from medic.run_config import Origin, RunConfig, Value
from medic.text.numbers_in_short import in_short

Read = Callable[..., Any]
STEP = "2026-05-01 10:00:{:02d},100 [rank{}] INFO train: step {} | loss 2.5 | lr 3.0e-04\n"
GONE = "[rank{}]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:275, remote process exited or there was a network error, NCCL version 2.19.3\n"


def logs(ranks: range, end: str) -> dict[str, str]:
    return {
        f"logs/rank{r}.log": "".join(STEP.format(n, r, n) for n in range(1, 20)) + end.format(r)
        for r in ranks
    }


def told(read: Any, world: int) -> list[Unread]:
    value = Value(world, Origin("given", key="nproc_per_node"))
    read.look.facts[RunConfig] = RunConfig(values={"world_size": value})
    return list(unseen_ranks.PROBE.run(read.look))


def test_the_other_node_s_ranks_are_named(read: Read) -> None:
    (left,) = told(read(logs(range(8), GONE)), 16)
    assert left.file == "ranks 8-15"
    assert "8 of 16" in left.why.en
    assert left.aside


@pytest.mark.parametrize(
    ("ranks", "end", "world"),
    [(range(8), GONE, 8), (range(1), "[rank{}]: done\n", 8), (range(1), "ValueError: {}\n", 8)],
)
def test_nothing_is_asked_for_otherwise(read: Read, ranks: range, end: str, world: int) -> None:
    assert told(read(logs(ranks, end)), world) == []


def test_numbers_in_short() -> None:
    assert in_short([0, 3, 4, 8, 9, 10], SPAN) == "0, 3, 4, 8-10"
