"""Ranks whose tracebacks tell in which collective they waited, as gloo's do.

A backend that waits in the caller's thread raises its timeout there: "Timed out waiting 1800000ms
for recv operation to complete". A rank that came too late, or was in another call, sees the first
one leave: "Connection closed by peer".
"""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Collective, Hit, Ranks, Traceback
from medic.records import dataclass, replace
from medic.text.patterns import regex

from .digits import whole
from .evidence import is_library

# The second: the store, through which NCCL's first collective finds the other ranks.
_TIMED_OUT = regex(
    r"(?:Timed out waiting|store->get\('\d+'\) got error: wait timeout after) (\d+)ms(?: for (?:recv|send) operation|,)"
)
_LEFT = regex(r"gloo/transport\S* (?:Connection closed by peer|Read error .*Connection reset)")
_SIZES = regex(r"ProcessGroup\w+::\w+: invalid tensor (?:size|type|shape) at index \d+")
GAVE_UP = "peer-gave-up"
_MODULE = "torch/distributed/distributed_c10d.py"
BACKWARD = "backward"  # in which DDP reduces the gradients, as large on every rank
_WRAPPING = "torch/nn/parallel/distributed.py"


@dataclass(frozen=True)
class Wait:
    """What a rank waited in; ``late``: another rank had given up before it came; ``refused``: the
    backend refused its tensors, whose sizes are not those of the other ranks."""

    call: Collective
    late: bool
    refused: bool = False


def waits(tracebacks: Sequence[Traceback]) -> tuple[Wait, ...]:
    """The first wait of each rank, in the order of ranks."""
    found: dict[int, Wait] = {}
    for told in tracebacks:
        timed_out = _TIMED_OUT.search(told.message)
        left = _LEFT.search(told.message)
        rank = told.source.rank
        refused = _SIZES.search(told.message)
        if rank is None or rank in found or not told.uncaught:
            continue
        if not (timed_out or left or refused):
            continue
        own = next((f for f in reversed(told.frames) if not is_library(f.file)), None)
        call = Collective(
            rank=rank,
            sequence=0,
            operation=_operation(told),
            elements_in=None,
            elements_out=None,
            timeout_ms=whole(timed_out.group(1)) if timed_out else None,
            source=told.source,
            call_site=f"{own.file}:{own.line}" if own else "",
        )
        found[rank] = Wait(call, late=bool(left), refused=bool(refused))
    return tuple(found[rank] for rank in sorted(found))


def _operation(told: Traceback) -> str:
    """ "all_reduce", "barrier" or, where DDP calls it, "backward"."""
    for frame in reversed(told.frames):
        if frame.file.endswith(_MODULE) and not frame.function.startswith("_"):
            return frame.function
        if frame.file.endswith(_WRAPPING):
            return "DistributedDataParallel"
        if frame.function == BACKWARD:
            return BACKWARD
    return ""


def judge(found: Sequence[Wait]) -> str | None:
    """How the calls differ: an outcome of collective-ranks, None if they tell nothing.

    The same operation called in two branches, one a rank, is one collective.
    """
    operations = {wait.call.operation for wait in found}
    sites = {wait.call.call_site for wait in found}
    if len(found) < 2 or "" in sites or "" in operations or all(wait.late for wait in found):
        return None
    if any(wait.refused for wait in found):
        return "shape-differs-same-call" if len(sites) == 1 else None
    if len(operations) > 1:
        return "places-differ"
    if len(sites) > 1:
        return None
    return "silent-rank-alive" if any(wait.late for wait in found) else "same-on-all"


def excused(hits: Sequence[Hit], tracebacks: Sequence[Traceback], ranks: Ranks) -> tuple[Hit, ...]:
    """The hits; where every rank told what it waited in, and one of them that it gave up, the lost
    connection of another is that one's end: it tells of no rank that died, and of no network."""
    found = waits(tracebacks)
    gave_up = any(not wait.late and not wait.refused for wait in found)
    if not gave_up or set(ranks.seen) - {wait.call.rank for wait in found}:
        return tuple(hits)
    lost = {(w.call.source.file, w.call.source.line) for w in found if w.late}
    return tuple(
        replace(h, benign=GAVE_UP) if (h.source.file, h.source.line) in lost and not h.benign else h
        for h in hits
    )
