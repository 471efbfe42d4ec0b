"""What the flight recorder's dumps say of a hang: an answer to the checks about collectives."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import FlightRecords, LogHits, Ranks, RecordVerdict, Source, Traceback, Tracebacks
from medic.i18n import Text, joined, plain
from medic.probe import Finding, Look, Probe, Skip

from ..logs import needs, quiet_ranks
from ..logs.verdict import own_failures
from .words import line_of

CHECK, HANG, TIMEOUT = "collective-ranks", "training-hangs", "collective-timeout"
MOMENT = "timeout-moment"
# An ordinary collective takes milliseconds, a first one with its connections some seconds.
HANG_SECONDS = 60.0
MANY = 10  # calls from one line of the code
FITTING = ("silent-rank-alive", "one-rank-silent", "same-on-all")


def run(look: Look) -> Iterator[Finding | Skip]:
    records = look.fact(FlightRecords)
    logs = look.fact(LogHits) if look.has(LogHits) else None
    if logs is not None and logs.ended == "well":
        return
    found = records.verdict
    if found is None or (found.outcome in FITTING and found.waited < HANG_SECONDS):
        waits = any(call.is_open for rank in records.ranks for call in rank.calls)
        if waits:
            yield Skip(Text("the dumps of all ranks", "所有 rank 的转储"), check=CHECK)
        elif logs is None:
            yield Finding(CHECK, "no-timeout")
        return
    timed_out = logs is None and found.timeout is not None and found.waited >= found.timeout
    source = found.sources[-1] if found.sources else Source()
    yield Finding(TIMEOUT if timed_out else HANG, source=source)
    if logs is not None and own_failures(logs, _tracebacks(look)):
        # A rank had failed of itself: what the others then waited in says no more.
        yield Skip(needs.LONE_TIMEOUT, check=CHECK)
        return
    if (logs is None or not logs.steps) and (step := _in_the_loop(records)):
        yield Finding(MOMENT, "mid-training", source=step)
    yield _finding(look, found, logs)


def _in_the_loop(records: FlightRecords) -> Source | None:
    """Where a rank waits in a call that it had completed many times, from the same line of code:
    what comes before the training makes a few of them, and from other places."""
    for rank in records.ranks:
        waits = next((c for c in rank.calls if c.is_open and c.call_site), None)
        if waits is None:
            continue
        same = (waits.operation, waits.call_site)
        done = sum(not c.is_open and (c.operation, c.call_site) == same for c in rank.calls)
        if done >= MANY:
            return Source(file=rank.file, rank=rank.rank, time=waits.created, text=line_of(waits))
    return None


def _tracebacks(look: Look) -> tuple[Traceback, ...]:
    return look.fact(Tracebacks).all if look.has(Tracebacks) else ()


def _finding(look: Look, found: RecordVerdict, logs: LogHits | None) -> Finding:
    outcome, line, sources = found.outcome, found.line, found.sources
    ranks = look.fact(Ranks) if look.has(Ranks) else Ranks()
    if logs is not None and found.missing:
        ended = quiet_ranks.died(logs, ranks, (), found.missing)
        if ended is not None:
            outcome, line = "silent-rank-died", plain(quiet_ranks.words(ended))
            sources = (ended, *sources)
    value = {"told": joined(found.told), "line": line}
    return Finding(CHECK, outcome, value=value, source=sources[0], more=tuple(sources[1:]))


PROBE = Probe(
    name="flight-recorder-calls",
    title=Text("recorded collective calls", "转储中的集合通信调用"),
    tells=(CHECK, HANG, TIMEOUT, MOMENT),
    run=run,
    needs=(FlightRecords,),
    wants=(LogHits, Ranks, Tracebacks),
    seconds=0.01,
    limit_seconds=5.0,
)
