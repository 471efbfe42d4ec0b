"""What each rank was waiting in when a collective timed out, and what the run did then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from medic.facts import Collective, Collectives, LogHits, Ranks, Source, Tracebacks
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from . import needs
from .evidence import hits
from .verdict import own_failures

RANKS, MOMENT = "collective-ranks", "timeout-moment"
# Wrapping a model takes a few collectives (parameter check, broadcast) before the first step.
FIRST_SEQUENCES = 3


def run(look: Look) -> Iterator[Finding | Skip]:
    logs = look.fact(LogHits)
    timeouts = look.fact(Collectives).timeouts if look.has(Collectives) else ()
    if logs.ended == "well" or not timeouts:
        if any(hits(logs, "collective-timeout")):
            yield Skip(needs.WATCHDOGS, check=RANKS)
        else:
            yield Finding(RANKS, "no-timeout")
            yield Finding(MOMENT, "no-timeout")
        return
    yield from _moment(logs, timeouts)
    if own_failures(logs, look.fact(Tracebacks).all):
        # A rank had failed of itself: what the others then waited in says no more.
        yield Skip(needs.LONE_TIMEOUT, check=RANKS)
        return
    outcome = judge(timeouts, _silent(look, logs, timeouts))
    if outcome is None:
        yield Skip(needs.ALL_RANKS, check=RANKS)
        return
    told = "; ".join(_words(t) for t in timeouts[:16])
    more = tuple(t.source for t in timeouts[1:])
    yield Finding(RANKS, outcome, value={"told": told}, source=timeouts[0].source, more=more)


def judge(timeouts: Sequence[Collective], silent: Sequence[int]) -> str | None:
    """The outcome by sequence number, operation, size and call site of one process group."""
    common = Counter(t.group for t in timeouts).most_common(1)[0][0]
    same = [t for t in timeouts if t.group == common]
    if len({t.sequence for t in same}) > 1:
        return "sequence-differs"
    sites = {t.call_site for t in same}
    known = "" not in sites
    if known and len(sites) > 1:
        return "call-site-differs"
    if len({_call(t) for t in same}) > 1:
        return "shape-differs-same-call" if known else "shape-differs"
    if silent:
        return "one-rank-silent"
    return "same-on-all" if len(same) > 1 else None


def _call(told: Collective) -> tuple[object, ...]:
    return (told.operation, told.elements_in, told.elements_out, told.shape)


def _silent(look: Look, logs: LogHits, timeouts: Sequence[Collective]) -> list[int]:
    """Ranks of the job that printed no timeout, though the logs hold their lines or all ranks'."""
    told = {t.rank for t in timeouts}
    expected = set(logs.ranks) | set(look.fact(Ranks).seen)
    world = look.fact(RunConfig).integer("world_size") if look.has(RunConfig) else None
    if world is not None and len({t.source.file for t in timeouts}) == 1 and len(told) > 1:
        expected |= set(range(world))
    return sorted(expected - told)


def _words(told: Collective) -> str:
    size = f" {told.elements_in}" if told.elements_in is not None else ""
    where = f" at {told.call_site}" if told.call_site else ""
    return f"rank {told.rank}: SeqNum {told.sequence} {told.operation}{size}{where}"


def _moment(logs: LogHits, timeouts: Sequence[Collective]) -> Iterator[Finding | Skip]:
    """What stands in the log last before the ranks began to wait."""
    source, outcome = timeouts[0].source, ""
    last = max(logs.steps, key=lambda s: _key(s.source), default=None)
    busy = _busy(logs, last.source if last else None, timeouts)
    if busy is not None:
        source, outcome = busy, "serial-work"
    elif last is not None:
        source, outcome = last.source, "mid-training"
    elif max(t.sequence for t in timeouts) <= FIRST_SEQUENCES:
        outcome = "first-collective"
    if not outcome:
        yield Skip(needs.LINES_BEFORE, check=MOMENT)
        return
    yield Finding(MOMENT, outcome, source=source)


def _busy(logs: LogHits, after: Source | None, timeouts: Sequence[Collective]) -> Source | None:
    """The last line about saving, evaluating … that no step followed before the timeout."""
    end = min((t.source.time for t in timeouts if t.source.time is not None), default=None)
    found = None
    for mark in logs.marks:
        late = end is not None and mark.source.time is not None and mark.source.time > end
        early = after is not None and _key(mark.source) < _key(after)
        if mark.signature == "serial-work" and not late and not early:
            found = mark.source
    return found


def _key(source: Source) -> tuple[float, int]:
    return (source.time or 0.0, source.line)


PROBE = Probe(
    name="collective-ranks",
    tells=(RANKS, MOMENT),
    run=run,
    needs=(LogHits, Ranks, Tracebacks),
    wants=(Collectives, RunConfig),
    seconds=0.01,
    limit_seconds=5.0,
)
