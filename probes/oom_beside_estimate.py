"""What an out-of-memory message wanted, beside what the run's config needs by arithmetic.

Each outcome is a claim of a bound: what the config tells of fits where the estimate's high bound does,
and is too big for the card where its low bound is. In between stays open, but for an estimate that is
too big itself and holds what was wanted within its range. What others hold of the card is another check's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import LogHits, MemoryEstimate
from medic.facts.memory import fitting, gib, numbers_of, room_of, wanted_of
from medic.i18n import Text, plain
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

CHECK, SYMPTOM = "oom-beside-estimate", "cuda-out-of-memory"
RANKS = "world_size"
_NUMBERS = {"total", "request", "allocated"}
_SENTENCE = Text(
    "an out-of-memory message with what was allocated and wanted", "写明已分配与所需大小的显存报错"
)


def run(look: Look) -> Iterator[Finding | Skip]:
    hits = [h for h in look.fact(LogHits).hits if h.symptom == SYMPTOM and not h.benign]
    if not hits:
        yield Finding(CHECK, "not-oom")
        return
    told = next((h for h in hits if numbers_of(h.captures).keys() >= _NUMBERS), None)
    if told is None:
        yield Skip(_SENTENCE, check=CHECK)
        return
    numbers, found = numbers_of(told.captures), look.fact(MemoryEstimate)
    outcome = judge(numbers, found)
    if outcome is None:
        yield Skip(plain(", ".join(found.unknown or found.assumed)), check=CHECK)
        return
    yield Finding(CHECK, outcome, _words(numbers, found), told.source)


def judge(numbers: Mapping[str, int], found: MemoryEstimate) -> str | None:
    """The outcome for a message's ``numbers`` in bytes; None where the estimate is not whole, not
    measured, or leaves it open."""
    need, room, total = wanted_of(numbers), room_of(numbers), numbers["total"]
    low, likely, high = found.low, found.estimate, found.high
    if need is None or low is None or RANKS in found.assumed:
        return None  # more ranks may have shared what one would hold
    if low > total:
        return "more-than-the-card"
    if likely is None or high is None or found.not_measured or found.unknown:
        return None
    if high <= fitting(room) and need > high:
        return "less-than-wanted"
    return "as-wanted" if likely > total and low <= need <= high else None


def _words(numbers: Mapping[str, int], found: MemoryEstimate) -> dict[str, str]:
    sizes = {
        "wanted": wanted_of(numbers),
        "room": room_of(numbers),
        "low": found.low,
        "estimate": found.estimate,
        "high": found.high,
    }
    return {name: gib(size) for name, size in sizes.items() if size is not None}


PROBE = Probe(
    name="oom-beside-estimate",
    title=Text("the out-of-memory message beside the estimate", "显存报错与估算的对比"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits, RunConfig, MemoryEstimate),
    reliability="heuristic",
    seconds=0.01,
    limit_seconds=5.0,
)
