"""Sends and receives that do not meet, and the rank that comes last."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.recorder.p2p import unmet
from medic.probes.recorder.stragglers import late_rank
from medic.probes.recorder.waiting import verdict

from medic.facts import RankRecord, RecordedCall


def call(name: str, sequence: int = 1, *, done: bool = False, **more: Any) -> RecordedCall:
    values: dict[str, Any] = {
        "sizes_in": ((8, 16),),
        "dtypes": ("Float",),
        "created": 100.0 + sequence,
        "is_p2p": name.startswith(("send", "recv")),
        "call_site": "/code/pipe.py:9",
    }
    return RecordedCall(
        "pp", sequence, name, "completed" if done else "started", not done, **values | more
    )


def records(*calls: list[RecordedCall]) -> list[RankRecord]:
    members = {"pp": tuple(range(len(calls)))}
    return [RankRecord(r, f"dump_{r}", tuple(c), members, 900.0) for r, c in enumerate(calls)]


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ([call("send 0->1")], [call("recv 1<-0")], "same-on-all"),
        ([call("send 0->1")], [call("send 1->0")], "call-site-differs"),
        ([call("send 0->1")], [call("all_reduce")], "call-site-differs"),
        ([call("send 0->1")], [call("recv 1<-0", done=True)], "silent-rank-alive"),
        (
            [call("send 0->1")],
            [call("recv 1<-0", sizes_in=(), sizes_out=((8, 32),))],
            "shape-differs-same-call",
        ),
        ([call("send 0->1")], [call("recv 1<-0", dtypes=("Half",))], "shape-differs-same-call"),
    ],
)
def test_what_the_other_side_does(
    first: list[RecordedCall], second: list[RecordedCall], outcome: str
) -> None:
    found = unmet(records(first, second))
    assert found is not None
    assert found.outcome == outcome


def test_shapes_of_the_same_size_meet() -> None:
    found = unmet(records([call("send 0->1")], [call("recv 1<-0", sizes_in=((128,),))]))
    assert found is not None
    assert found.outcome == "same-on-all"


def test_nobody_waits() -> None:
    done = [call("send 0->1", done=True)], [call("recv 1<-0", done=True)]
    assert unmet(records(*done)) is None


def test_a_chain_is_told_at_its_end() -> None:
    """Rank 2 computes; rank 1 waits for it, and rank 0 for rank 1."""
    found = unmet(
        records(
            [call("send 0->1", 1)],
            [call("send 1->2", 2)],
            [call("recv 2<-1", done=True)],
        )
    )
    assert found is not None
    assert found.outcome == "silent-rank-alive"
    assert found.missing == (2,)


def test_ranks_of_a_group_are_ranks_of_the_job() -> None:
    members = {"pp": (4, 6)}
    ranks = [
        RankRecord(4, "dump_4", (call("send 0->1"),), members, 900.0),
        RankRecord(6, "dump_6", (call("recv 1<-0"),), members, 900.0),
    ]
    found = unmet(ranks)
    assert found is not None
    assert set(found.calls) == {4, 6}


def test_the_verdict_names_the_peer_that_is_not_there() -> None:
    found = verdict(records([call("send 0->1")], [call("recv 1<-0", done=True)]))
    assert found is not None
    assert found.outcome == "silent-rank-alive"
    assert "rank 1" in found.line.en
    assert found.waited == pytest.approx(799.0)


# --- stragglers -------------------------------------------------------------------------------


def meetings(lag: float, world: int = 4, steps: int = 30) -> list[RankRecord]:
    rows: list[list[RecordedCall]] = [[] for _ in range(world)]
    for step in range(steps):
        for rank in range(world):
            late = lag if rank == 2 else 0.001 * ((step + rank) % 3)
            rows[rank].append(
                call("all_reduce", step, done=True, created=100.0 + step + late, is_p2p=False)
            )
    return records(*rows)


def test_one_rank_is_always_last() -> None:
    found = late_rank(meetings(0.4))
    assert found is not None
    assert found.rank == 2
    assert found.seconds == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("made", [meetings(0.0), meetings(0.03), meetings(0.4, steps=8)])
def test_ranks_together_clocks_apart_or_few_meetings(made: list[RankRecord]) -> None:
    assert late_rank(made) is None
