"""Sends and receives that do not find each other, from the dumps of both sides.

torch names them "nccl:send 0->1" and "nccl:recv 1<-0" with the ranks of their group
(torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, pointToPoint).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from medic.facts import RankRecord, RecordedCall
from medic.records import dataclass
from medic.text.patterns import regex

_NAME = regex(r"(send|recv) (\d{1,6})(?:->|<-)(\d{1,6})$")


@dataclass(frozen=True)
class Unmet:
    """A call that waits for its peer. ``outcome`` is one of the check collective-ranks.

    ``calls`` are those shown, by rank; ``missing`` the peer that does not wait in anything.
    """

    outcome: str
    group: str
    calls: Mapping[int, RecordedCall]
    missing: tuple[int, ...] = ()


def unmet(records: Sequence[RankRecord]) -> Unmet | None:
    """The oldest open send or receive whose peer is elsewhere; None where all fit or none wait."""
    by_rank = {record.rank: record for record in records}
    opened: dict[tuple[str, int, int, str], list[RecordedCall]] = defaultdict(list)
    for record in records:
        for call in record.calls:
            if call.is_p2p and call.is_open and (ends := _ends(call, record)):
                opened[(call.group, *ends)].append(call)
    rows = [(key, calls[0]) for key, calls in opened.items()]
    for key, call in sorted(rows, key=lambda row: (row[1].created or 0.0, row[0])):
        if found := _judge(key, call, opened, by_rank):
            return found
    return None


def _ends(call: RecordedCall, record: RankRecord) -> tuple[int, int, str] | None:
    """(rank that waits, its peer, "send" or "recv"), as ranks of the job."""
    found = _NAME.search(call.operation)
    if found is None:
        return None
    own, peer = int(found.group(2)), int(found.group(3))
    members = sorted(record.members.get(call.group, ()))
    if members:
        if max(own, peer) >= len(members):
            return None
        own, peer = members[own], members[peer]
    return (own, peer, found.group(1)) if own == record.rank else None


def _judge(
    key: tuple[str, int, int, str],
    call: RecordedCall,
    opened: Mapping[tuple[str, int, int, str], Sequence[RecordedCall]],
    by_rank: Mapping[int, RankRecord],
) -> Unmet | None:
    group, rank, peer, kind = key
    other = "recv" if kind == "send" else "send"
    answers = opened.get((group, peer, rank, other))
    if answers:
        if _sizes(call) != _sizes(answers[0]):
            return Unmet("shape-differs-same-call", group, {rank: call, peer: answers[0]})
        return Unmet("same-on-all", group, {rank: call, peer: answers[0]})
    if peer not in by_rank:
        return Unmet("one-rank-silent", group, {rank: call}, (peer,))
    waits = next((c for c in by_rank[peer].calls if c.is_open), None)
    if waits is None:
        return Unmet("silent-rank-alive", group, {rank: call}, (peer,))
    if not waits.is_p2p:
        return Unmet("call-site-differs", group, {rank: call, peer: waits})
    if ring := _ring(rank, by_rank):
        return Unmet("stages-cross", group, ring)
    return None  # it waits for a third rank: that pair is judged on its own


def _ring(rank: int, by_rank: Mapping[int, RankRecord]) -> dict[int, RecordedCall]:
    """The ranks that wait for each other in a ring, each in its first open call; empty where it
    leads to a rank that waits for nobody, or past this one."""
    ring: dict[int, RecordedCall] = {}
    at = rank
    while at not in ring:
        record = by_rank.get(at)
        call = next((c for c in record.calls if c.is_open), None) if record else None
        ends = _ends(call, record) if record and call is not None and call.is_p2p else None
        if call is None or ends is None:
            return {}
        ring[at] = call
        at = ends[1]
    return ring if at == rank else {}


def _sizes(call: RecordedCall) -> tuple[object, ...]:
    """What is sent, or where it goes: both sides count the same elements of the same type."""
    shapes = call.sizes_in or call.sizes_out
    return tuple(math.prod(s) for s in shapes), call.dtypes[:1]
