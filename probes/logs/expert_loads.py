"""How evenly the experts of a mixture are used, where a log prints the load of each as a list."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.text.patterns import regex

from ..curve.experts import DEAD, SYMPTOM, UNBALANCED

EARLY = 100  # steps: until then every router is uneven
MIN_EXPERTS = 4
_LIST = regex(r"\[([^\[\]]{7,20000})\]")
_NUMBER = regex(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def run(look: Look) -> Iterator[Finding | Skip]:
    logs = look.fact(LogHits)
    marks = [m.source for m in logs.marks if m.signature == "expert-loads"]
    if not marks or logs.last_step is None or logs.last_step < EARLY:
        yield Skip(Text("the load of each expert in a log", "日志中各专家的负载"), check=SYMPTOM)
        return
    found = [(source, loads) for source in marks if (loads := loads_of(source.text))]
    if not found:
        return
    source, loads = found[-1]
    mean = sum(loads) / len(loads)
    ratio, least = max(loads) / mean, min(loads) / mean
    if ratio > UNBALANCED or least < DEAD:
        value = {"step": _step(logs, source), "ratio": f"{ratio:.2f}", "least": f"{least:.2f}"}
        yield Finding(SYMPTOM, value=value, source=source)


def loads_of(line: str) -> list[float]:
    """The list of numbers in a line; none where it is too short to be told from another."""
    listed = _LIST.search(line)
    loads = [float(n) for n in _NUMBER.findall(listed[1])] if listed else []
    return loads if len(loads) >= MIN_EXPERTS and sum(loads) > 0 else []


def _step(logs: LogHits, source: Source) -> int:
    """The last one that the same file tells above the line, else the last of all."""
    above = [
        s.step for s in logs.steps if s.source.file == source.file and s.source.line <= source.line
    ]
    return max(above, default=logs.last_step or 0)


PROBE = Probe(
    name="expert-loads",
    title=Text("load of the experts in the logs", "日志中的专家负载"),
    tells=(SYMPTOM,),
    needs=(LogHits,),
    reliability="heuristic",
    seconds=0.01,
    limit_seconds=5.0,
    run=run,
)
