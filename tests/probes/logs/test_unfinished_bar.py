"""Data preparation whose bar is not at its end when the other ranks give up."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import unfinished_bar

from medic.facts import Preparing
from medic.run_config import Origin, RunConfig, Value


def timeout(rank: int, sequence: int = 1) -> str:
    return (
        f"[rank{rank}]:[E519 21:33:29.92 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught "
        f"collective operation timeout: WorkNCCL(SeqNum={sequence}, OpType=ALLREDUCE, NumelIn=1, "
        "NumelOut=1, Timeout(ms)=1800000) ran for 1800087 milliseconds before timing out."
    )


def bar(at: int, took: str, left: str, name: str = "Running tokenizer on dataset") -> str:
    return f"{name} (num_proc=1):  {at // 10}%|███  | {at}/1000 [{took}<{left}, 905.2 examples/s]"


WAITS = [timeout(r) for r in (1, 2, 3)]
HALF = [bar(500, "24:40", "24:40"), *WAITS]


def ask(read: Any, lines: list[str]) -> tuple[dict[str, Any], Any]:
    world = RunConfig({"world_size": Value(4, Origin("given"))})
    found = read("\n".join(lines) + "\n", facts=[world])
    made = [m for m in unfinished_bar.PROBE.run(found.look) if isinstance(m, Preparing)]
    return found.ask(unfinished_bar.PROBE), made[0].seconds if made else None


def test_what_the_rank_does_and_how_long_it_takes(read: Any) -> None:
    found, seconds = ask(read, [bar(100, "04:00", "36:00"), *HALF])
    told = found["busy-rank"]
    assert told.outcome == "prepares-data"
    assert "500 of 1,000 after 24:40" in told.value["told"].en
    assert told.value["told"].en.startswith("rank 0")
    assert seconds == 2 * (24 * 60 + 40)


@pytest.mark.parametrize(
    "lines",
    [
        [bar(1000, "24:40", "00:00"), *WAITS],  # it was done
        [bar(500, "04:40", "04:40"), *WAITS],  # it stood still for most of the time
        [bar(500, "24:40", "24:40", name="Epoch 1"), *WAITS],  # of the training
        ["step 1 loss 3.2", *HALF],
        [HALF[0], timeout(0), *WAITS],  # nobody is missing
        [HALF[0], *(timeout(r, 900) for r in (1, 2, 3))],
    ],
)
def test_what_is_no_preparation_that_is_waited_for(read: Any, lines: list[str]) -> None:
    assert ask(read, lines) == ({}, None)
