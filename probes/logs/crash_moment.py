"""When a process that died of a signal was at work: in a training step, or reading data."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from .evidence import hits

_FAULT = regex(r"SIGSEGV|SIGBUS|SIGILL|-11\b|-7\b|-4\b|[Ss]egmentation|Bus error|Illegal instr")
CHECK, SYMPTOM, TIMEOUT = "crash-moment", "process-crashed-by-signal", "collective-timeout"
_LOADER = regex(
    r"torch/utils/data/_utils/worker\.py|DataLoader worker .{0,40}killed by signal: (?:Seg|Bus|Abo)"
)


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    # Torch and C++ abort after errors of other kinds, too: an abort tells no moment of its own.
    crash = next((h for h in hits(logs, SYMPTOM) if _FAULT.search(h.source.text)), None)
    if crash is None or next(hits(logs, TIMEOUT), None) is not None:
        return
    near = [h.source for h in (*logs.hits, *logs.marks)] + list(logs.tail)
    if line := next((s for s in near if _LOADER.search(s.text)), None):
        yield Finding(CHECK, "in-data-loader", source=line)
    elif step := _step_before(logs, crash.source):
        yield Finding(CHECK, "in-training", source=step)


def _step_before(logs: LogHits, crash: Source) -> Source | None:
    """The last logged step, if nothing else was begun between it and the crash."""
    steps = [s.source for s in logs.steps]
    if not steps:
        return None
    last = max(steps, key=lambda s: (s.time or 0.0, s.line))
    begun = (m.source for m in logs.marks if m.signature == "serial-work")
    busy = any(
        m.file == last.file and last.line < m.line < crash.line and m.rank in (None, crash.rank)
        for m in begun
    )
    return None if busy else last


PROBE = Probe(
    name="crash-moment",
    title=Text("when the process died", "进程崩溃的时刻"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits,),
    seconds=0.01,
    limit_seconds=5.0,
)
