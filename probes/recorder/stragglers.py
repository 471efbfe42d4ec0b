"""The rank that comes last to the collectives, from the times of the calls in all dumps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import FlightRecords, RankRecord, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.records import dataclass

from ..curve.numbers import median

CHECK = "slow-scope"
# Clocks of nodes differ by milliseconds; a rank that is late by less of a step is none.
MEETINGS, LAST_SHARE, STEP_SHARE, CLOCK_SECONDS = 20, 0.8, 0.2, 0.05


@dataclass(frozen=True)
class Late:
    """``seconds``: by how much it comes after the middle rank; ``step``: between two meetings."""

    rank: int
    seconds: float
    step: float
    meetings: int


def late_rank(records: Sequence[RankRecord]) -> Late | None:
    """The rank that is last at nearly all collectives of all, by a good part of a step."""
    if len(records) < 3:
        return None
    times: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for record in records:
        for call in record.calls:
            if not call.is_p2p and call.created is not None:
                times[call.group, call.sequence][record.rank] = call.created
    # Gaps within a step are short: its length is among the longest ones.
    full = sorted((max(t.values()), t) for t in times.values() if len(t) == len(records))
    if len(full) < MEETINGS:
        return None
    lags = [(max(t, key=t.__getitem__), end - median([*t.values()])) for end, t in full]
    gaps = sorted(after - before for (before, _), (after, _) in pairwise(full))
    step = gaps[int(0.9 * len(gaps))]
    late = [(rank, lag) for rank, lag in lags if lag > max(CLOCK_SECONDS, STEP_SHARE * step)]
    if len(late) < MEETINGS / 2:
        return None
    rank, count = Counter(rank for rank, _ in late).most_common(1)[0]
    if count < LAST_SHARE * len(late):
        return None
    return Late(rank, median([lag for r, lag in late if r == rank]), step, len(late))


def run(look: Look) -> Iterator[Finding]:
    records = look.fact(FlightRecords).ranks
    late = late_rank(records)
    if late is None:
        return
    file = next(r.file for r in records if r.rank == late.rank)
    text = f"rank {late.rank}: +{late.seconds:.2f} s @ {late.meetings} collectives"
    source = Source(file=file, rank=late.rank, text=text)
    yield Finding(CHECK, "one-node-slower", value={"rank": late.rank}, source=source)


PROBE = Probe(
    name="flight-recorder-stragglers",
    title=Text("the rank that comes last", "最慢的 rank"),
    tells=(CHECK,),
    run=run,
    reliability="heuristic",  # the clocks of nodes may differ
    needs=(FlightRecords,),
    seconds=0.01,
    limit_seconds=5.0,
)
