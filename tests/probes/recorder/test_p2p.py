"""Sends and receives that do not meet, and the rank that comes last."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.recorder.dump import record_of
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
        ([call("send 0->1")], [call("send 1->0")], "stages-cross"),
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


def entry(name: str, *, seconds: float | None, retired: bool = False) -> dict[str, Any]:
    made = 1_700_000_000_000_000_000
    end = None if seconds is None else made + int(seconds * 1e9)
    return {
        "p2p_seq_id": 2, "process_group": ("0", "default_pg"), "profiling_name": f"nccl:{name}",
        "time_created_ns": made, "time_discovered_completed_ns": end, "timeout_ms": 30_000,
        "state": "scheduled" if end is None else "completed", "retired": retired, "is_p2p": True,
        "frames": [{"name": "<module>", "filename": "/code/pipe.py", "line": 61}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "retired", "outcome"),
    [(30.5, False, "stages-cross"), (0.2, False, None), (30.5, True, None)],
)
def test_the_abort_after_a_timeout_ends_no_call(
    seconds: float, retired: bool, outcome: str | None
) -> None:
    """Both stages receive; the communicator that rank 0 waits on is torn down after the limit."""
    entries = (
        [entry("recv 0<-1", seconds=seconds, retired=retired)],
        [entry("recv 1<-0", seconds=None)],
    )
    found = verdict(
        [record_of({"entries": e}, r, f"d{r}", 1_700_000_031.0) for r, e in enumerate(entries)]
    )
    assert (found and found.outcome) == (outcome or "silent-rank-alive")


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


def test_three_stages_that_wait_in_a_ring() -> None:
    found = unmet(records([call("recv 0<-2")], [call("recv 1<-0")], [call("recv 2<-1")]))
    assert found is not None
    assert found.outcome == "stages-cross"
    assert set(found.calls) == {0, 1, 2}


def test_a_rank_that_waits_for_two_that_wait_for_each_other() -> None:
    found = unmet(records([call("recv 0<-1")], [call("recv 1<-2", 2)], [call("recv 2<-1", 3)]))
    assert found is not None
    assert set(found.calls) == {1, 2}


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
