"""What torch's out-of-memory message says about who holds the memory (bytes)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from medic.facts import CaptureValue, Hit, LogHits
from medic.facts.memory import GIB, scaled
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import needs
from .evidence import hits

CHECK = "oom-shortfall"
_SHOWN = ("request", "total", "free", "allocated", "unallocated", "reserved", "process")
_LEAST = {"total", "free"}
# Used where the knowledge gives none; see the sources in the check's entry.
_DEFAULTS = {
    "other-process-bytes": 1.0 * GIB,
    "other-process-unknown-context-bytes": 3.0 * GIB,
    "fragmentation-bytes": 1.0 * GIB,
    "fragmentation-share": 0.1,
    "large-request-share": 0.4,
}


def run(look: Look) -> Iterator[Finding | Skip]:
    seen = list(hits(look.fact(LogHits), "cuda-out-of-memory"))
    if not seen:
        yield Finding(CHECK, "not-oom")
        return
    told = next((h for h in seen if _numbers(h.captures).keys() >= _LEAST), None)
    outcome = None if told is None else outcome_of(look, told)
    if told is None or outcome is None:
        yield Skip(needs.OOM_SENTENCE, check=CHECK)
        return
    yield Finding(CHECK, outcome, value=_words(told), source=told.source)


def outcome_of(look: Look, told: Hit) -> str | None:
    """What an out-of-memory message says; None where it lacks the numbers."""
    numbers = _numbers(told.captures)
    if not numbers.keys() >= _LEAST:
        return None
    return judge(numbers, lambda name: _threshold(look, name))


def judge(n: Mapping[str, float], threshold: Callable[[str], float]) -> str | None:
    """The outcome for the message's numbers; None if they do not say it.

    torch >= 2.1 tells what the driver counts for this process: the rest of the GPU is others'.
    Before, only torch's own reservation is known; context and NCCL come on top of it. What an empty
    GPU has no room for either is not for others to give back.
    """
    reserved = n.get("reserved", n.get("allocated", 0.0) + n.get("unallocated", 0.0))
    held, limit = n.get("process"), "other-process-bytes"
    if held is None:
        held, limit = reserved, "other-process-unknown-context-bytes"
    if not held:
        return None
    total, request = n["total"], n.get("request")
    alone = n.get("allocated", 0.0) + (request or 0.0) <= total
    if alone and total - n["free"] - held > threshold(limit):
        return "other-process"
    if request is None:
        return None
    loose = n.get("unallocated", reserved - n["allocated"] if "allocated" in n else 0.0)
    least = max(threshold("fragmentation-bytes"), threshold("fragmentation-share") * total)
    if loose >= request and loose > least:
        return "fragmentation"
    if request > threshold("large-request-share") * total:
        return "one-large-tensor"
    return "genuine-need"


def _threshold(look: Look, name: str) -> float:
    try:
        return look.threshold(name)
    except KeyError:
        return _DEFAULTS[name]


def _numbers(captures: Mapping[str, CaptureValue]) -> dict[str, float]:
    return {k: float(v) for k, v in captures.items() if k in _SHOWN and not isinstance(v, str)}


def _words(hit: Hit) -> dict[str, str]:
    numbers = _numbers(hit.captures)
    if "unallocated" not in numbers and numbers.keys() >= {"reserved", "allocated"}:
        numbers["unallocated"] = numbers["reserved"] - numbers["allocated"]
    return {name: scaled(value, 2) for name, value in numbers.items()}


PROBE = Probe(
    name="oom-numbers",
    title=Text("numbers of the out-of-memory message", "显存报错中的数字"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits,),
    seconds=0.01,
    limit_seconds=5.0,
)
