"""What each rank was waiting in when a collective timed out, and what the run did then."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from medic.facts import Collective, Collectives, FlightRecords, LogHits, Ranks, Source, Tracebacks
from medic.i18n import Text, joined
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig
from medic.text.numbers_in_short import in_short
from medic.text.patterns import regex

from . import garbled, needs, python_waits, quiet_ranks
from .evidence import hits
from .unseen_ranks import SPAN
from .verdict import own_failures

RANKS, MOMENT, STALL = "collective-ranks", "timeout-moment", "stall-point"
BUSY = "busy-rank"
_STOPS = "rank-stops-early"  # a signature: words by which a rank decides to stop
_BYTES = regex(r"op\.nbytes\. (\d+) vs (\d+)")
_PREPARING = regex(
    r"tokeni[sz]|process|pack|download|shuffl|dataset|data set|corpus|ind(?:ex|ices)|分词|数据",
    re.IGNORECASE,
)
_DOING = (
    ("evaluation", regex(r"\beval|validat|评估|验证", re.IGNORECASE)),
    ("saving", regex(r"\bsav(?:e|ing)|checkpoint|export|upload|保存|检查点|导出", re.IGNORECASE)),
)
# Wrapping a model takes a few collectives (parameter check, broadcast) before the first step.
FIRST_SEQUENCES = 3
_ROW = Text("rank {rank}: {told}", "rank {rank}：{told}")
_AT = Text("{call} at {site}", "{call}，位于 {site}")
_LAST = Text("rank {rank} wrote last “{line}”", "rank {rank} 最后写的是 “{line}”")
_CAME = Text("{came} bytes came, {due} were expected", "收到 {came} 字节，应为 {due} 字节")


def run(look: Look) -> Iterator[Finding | Skip]:
    logs = look.fact(LogHits)
    timeouts = look.fact(Collectives).timeouts if look.has(Collectives) else ()
    recorded = _recorded(look)
    waits = python_waits.waits(look.fact(Tracebacks).all) if not timeouts else ()
    if logs.ended != "well" and not recorded and (met := _met(look, logs, waits)):
        yield from _in_python(look, logs, waits, met)
        return
    timeouts = timeouts or tuple(w.call for w in waits if not (w.late or w.refused))
    if not timeouts and not recorded and (other := _mixed_up(look, logs, waits)):
        yield other
        return
    if logs.ended == "well" or not timeouts:
        if not recorded or logs.ended == "well":
            yield from _no_timeout(logs)
        return
    silent = silent_ranks(look, logs, timeouts)
    yield from _moment(logs, timeouts, silent)
    if own_failures(logs, look.fact(Tracebacks).all):
        # A rank had failed of itself: what the others then waited in says no more.
        yield Skip(needs.LONE_TIMEOUT, check=RANKS)
        return
    if recorded:
        return
    shown = quiet_ranks.died(logs, look.fact(Ranks), timeouts, silent)
    outcome = "silent-rank-died" if shown else (None if waits else judge(timeouts))
    if outcome is None:
        if over := quiet_ranks.left_the_loop(look, logs, timeouts, silent):
            yield from _over(logs, timeouts, over)
            return
        outcome, shown = _by_silence(logs, look.fact(Ranks), timeouts, silent)
    if outcome == "same-on-all" and (absent := _absent(look, logs, timeouts)):
        value = {"ranks": in_short(absent, SPAN), "count": len(timeouts)}
        first = timeouts[0].source
        yield Finding(RANKS, "ranks-without-logs", value=value, source=first)
        return
    if outcome is None:
        yield Skip(needs.ALL_RANKS, check=RANKS)
        return
    last = quiet_ranks.last_word(logs, silent) if outcome == "silent-rank-stopped" else None
    yield _found(outcome, timeouts, shown, last)


def _no_timeout(logs: LogHits) -> Iterator[Finding | Skip]:
    if any(hits(logs, "collective-timeout")):
        yield Skip(needs.WATCHDOGS, check=RANKS)
        return
    yield Finding(RANKS, "no-timeout")
    yield Finding(MOMENT, "no-timeout")


def _met(look: Look, logs: LogHits, waits: Sequence[python_waits.Wait]) -> str | None:
    """How the calls differ; None, too, where a rank said nothing of it: that is the one to tell."""
    met = python_waits.judge(waits)
    silent = met == "same-on-all" and silent_ranks(look, logs, [w.call for w in waits])
    return None if silent else met


def _over(logs: LogHits, timeouts: Sequence[Collective], line: Source) -> Iterator[Finding]:
    """A rank whose batches were over, and that was well when it said so; or that stopped early."""
    told = _LAST.fill(rank=line.rank, line=quiet_ranks.words(line))
    waits = tuple(t.source for t in timeouts)
    stops = {h.source.rank: h.source for h in logs.hits if h.signature == _STOPS}
    if (stopped := stops.get(line.rank)) is not None and len(stops) == 1:
        told = _LAST.fill(rank=line.rank, line=quiet_ranks.words(stopped))
        yield Finding(BUSY, "stopped-early", value={"told": told}, source=stopped, more=waits)
        return
    yield Finding(BUSY, "left-the-loop", value={"told": told}, source=line, more=waits)
    yield Finding(STALL, "end-of-epoch", source=line)


def _in_python(
    look: Look, logs: LogHits, waits: Sequence[python_waits.Wait], outcome: str
) -> Iterator[Finding | Skip]:
    """Of ranks that all told where they waited."""
    calls = [w.call for w in waits]
    late = [w.call.rank for w in waits if w.late]
    yield from _moment(logs, [w.call for w in waits if not w.late], late)
    missing = set(look.fact(Ranks).seen) - {call.rank for call in calls}
    refused = {w.call.source.line for w in waits if w.refused}
    others = [t for t in look.fact(Tracebacks).all if t.source.line not in refused]
    if missing or (not refused and own_failures(logs, others)):
        yield Skip(needs.LONE_TIMEOUT, check=RANKS)
        return
    shown = None
    if outcome == "silent-rank-alive":
        shown = next(c.source for c in calls if c.rank == late[0])
    yield _found(outcome, calls, shown)


def _mixed_up(look: Look, logs: LogHits, waits: Sequence[python_waits.Wait]) -> Finding | None:
    """An object, or more bytes than fit, that a rank received of another call."""
    if logs.ended != "well" and (told := garbled.first(look.fact(Tracebacks).all)):
        value = {"told": garbled.words(told), "line": ""}
        return Finding(RANKS, "places-differ", value=value, source=told.source)
    return _larger_message(logs, waits)


def _larger_message(logs: LogHits, waits: Sequence[python_waits.Wait]) -> Finding | None:
    """gloo got more bytes than the call it stands in takes: the ranks met in different calls. The
    gradients that the others reduce are as many on every rank: a call of other size is another."""
    for hit in hits(logs, "collective-mismatch"):
        sizes = _BYTES.search(hit.source.text) if hit.signature == "gloo-size-differs" else None
        if sizes:
            told = _CAME.fill(came=sizes.group(1), due=sizes.group(2))
            if hit.source.rank is not None:
                told = _ROW.fill(rank=hit.source.rank, told=told)
            reduced = [w.call for w in waits if w.call.operation == python_waits.BACKWARD]
            value = {"told": joined([told, *map(_words, reduced[:4])]), "line": ""}
            outcome = "call-site-differs" if reduced else "shape-differs"
            return Finding(RANKS, outcome, value=value, source=hit.source)
    return None


def _recorded(look: Look) -> bool:
    """Whether the flight recorder's dumps answer: they tell every call, the logs a few lines."""
    return look.has(FlightRecords) and look.fact(FlightRecords).verdict is not None


def _found(
    outcome: str, timeouts: Sequence[Collective], shown: Source | None, last: Source | None = None
) -> Finding:
    """``last``: what the silent rank wrote last, where ``shown`` is a line of another writer."""
    told = [_words(t) for t in timeouts[:16]]
    if last is not None:
        told.insert(0, _LAST.fill(rank=last.rank, line=quiet_ranks.words(last)))
    line = quiet_ranks.words(shown) if shown else ""
    if shown and outcome == "sequence-differs":
        told.append(_ROW.fill(rank=shown.rank, told=line))
    if shown and outcome == "one-rank-silent":
        told.insert(0, _LAST.fill(rank=shown.rank, line=line))
    sources = [*(s for s in (shown, last) if s), *(t.source for t in timeouts)]
    value = {"told": joined(told), "line": line}
    return Finding(RANKS, outcome, value=value, source=sources[0], more=tuple(sources[1:]))


def judge(timeouts: Sequence[Collective]) -> str | None:
    """How the calls differ: sequence number, operation, size and call site in one process group.

    None if they do not. An extra call on the rank that is ahead shifts its calls by one: it then
    waits in the very call in which the others wait. If it waits in another call, it has completed
    what the rank behind cannot: a call at another size, or one that the rank behind made in excess.
    """
    common = Counter(t.group for t in timeouts).most_common(1)[0][0]
    same = [t for t in timeouts if t.group == common]
    numbers = {t.sequence for t in same}
    calls = {_call(t) for t in same}
    if len(numbers) > 1:
        adjacent = max(numbers) - min(numbers) == 1
        return "next-call-differs" if adjacent and len(calls) > 1 else "sequence-differs"
    sites = {t.call_site for t in same}
    known = "" not in sites
    if known and len(sites) > 1:
        return "call-site-differs"
    if len(calls) > 1:
        return "shape-differs-same-call" if known else "shape-differs"
    return None


def _by_silence(
    logs: LogHits, ranks: Ranks, timeouts: Sequence[Collective], silent: Sequence[int]
) -> tuple[str | None, Source | None]:
    """The outcome where all that timed out wait in the same call, and the line that shows it."""
    if not silent:
        return ("same-on-all" if len(timeouts) > 1 else None), None
    if line := quiet_ranks.finished(logs, timeouts, silent):
        return "sequence-differs", line
    if quiet_ranks.waiting_too(logs, silent):
        return None, None
    if line := quiet_ranks.alive(logs, timeouts, silent):
        return "silent-rank-" + ("answers" if quiet_ranks.answered(line) else "alive"), line
    if line := quiet_ranks.stopped(ranks, silent):
        return "silent-rank-stopped", line
    return "one-rank-silent", quiet_ranks.last_word(logs, silent)


def _call(told: Collective) -> tuple[object, ...]:
    return (told.operation, told.elements_in, told.elements_out, told.shape)


def silent_ranks(look: Look, logs: LogHits, timeouts: Sequence[Collective]) -> list[int]:
    """Ranks of the job that printed no timeout, though the logs hold their lines or all ranks'."""
    told = {t.rank for t in timeouts}
    expected = set(logs.ranks) | set(look.fact(Ranks).seen)
    world = config_of(look).integer("world_size")
    if world is not None and len({t.source.file for t in timeouts}) == 1 and len(told) > 1:
        expected |= set(range(world))
    return sorted(expected - told)


def _absent(look: Look, logs: LogHits, timeouts: Sequence[Collective]) -> list[int]:
    """Ranks of which no file is here, where each rank has one of its own: a node's may be missing."""
    if len({t.source.file for t in timeouts}) < len(timeouts):
        return []
    here = set(logs.ranks) | set(look.fact(Ranks).seen) | {t.rank for t in timeouts}
    world = config_of(look).integer("world_size") or max(here) + 1
    return sorted(set(range(world)) - here)


def _words(told: Collective) -> Text:
    size = f" {told.elements_in}" if told.elements_in is not None else ""
    name = f"SeqNum {told.sequence} {told.operation}{size}" if told.sequence else told.operation
    call = _AT.fill(call=name, site=told.call_site) if told.call_site else name
    return _ROW.fill(rank=told.rank, told=call)


def _moment(
    logs: LogHits, timeouts: Sequence[Collective], silent: Sequence[int]
) -> Iterator[Finding | Skip]:
    """What stands in the log last before the ranks began to wait."""
    source, outcome = timeouts[0].source, ""
    end = quiet_ranks.first_timeout(timeouts)
    before = (s.source for s in logs.steps if not quiet_ranks.later(s.source, end))
    last = max(before, key=_key, default=None)
    busy = quiet_ranks.serial_work(logs, silent, timeouts)
    early = max(t.sequence for t in timeouts) <= FIRST_SEQUENCES and not _went_through(timeouts)
    if last is None and early and len(timeouts) > 1 and not silent:
        # All arrived at their first meeting: nobody is busy with what was logged before it.
        outcome = "first-collective"
    elif busy is not None:
        source, outcome = busy, "serial-work"
    elif last is not None:
        source, outcome = last, "mid-training"
    elif early:
        outcome = "first-collective"
    if not outcome:
        yield Skip(needs.LINES_BEFORE, check=MOMENT)
        return
    yield Finding(MOMENT, outcome, source=source)
    stall = _stall(busy, started=last is not None) if busy is not None else ""
    if stall:
        yield Finding(STALL, stall, source=busy or source)


def _went_through(timeouts: Sequence[Collective]) -> bool:
    """Whether a rank that waits for one other had exchanged something with it before."""
    return any(t.operation in ("SEND", "RECV") and (t.last_completed or 0) > 0 for t in timeouts)


def _stall(busy: Source, *, started: bool) -> str:
    """Where the run stood, by what the busy rank said that it was doing."""
    if not started and _PREPARING.search(busy.text):
        return "data-preparation"
    return next((at for at, words in _DOING if words.search(busy.text)), "") if started else ""


def _key(source: Source) -> tuple[float, int]:
    return (source.time or 0.0, source.line)


PROBE = Probe(
    name="collective-ranks",
    title=Text("where each rank waited", "各 rank 等待的位置"),
    tells=(RANKS, MOMENT, STALL, BUSY),
    run=run,
    needs=(LogHits, Ranks, Tracebacks),
    wants=(Collectives, FlightRecords, RunConfig),
    seconds=0.01,
    limit_seconds=5.0,
)
