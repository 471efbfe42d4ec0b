"""How the fp16 loss scale moves, from step lines and overflow messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from .evidence import hits

CHECK = "loss-scale"
_REDUCED = regex(r"scale:? ?[\d.e+]+, reducing to ([\d.e+-]+)")
# A dynamic scale starts at 2^16 or 2^32 and settles far above this; see the check's source.
COLLAPSED = 128.0


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    told = next(hits(logs, "loss-scale-collapses"), None)
    try:
        limit = look.threshold("collapsed-scale")
    except KeyError:
        limit = COLLAPSED
    scales = [(s.values["loss_scale"], s.source) for s in logs.steps if "loss_scale" in s.values]
    at = collapse(scales, limit) or collapse(reductions(logs), limit)
    if told is not None:
        lowest = min(reductions(logs), key=lambda r: (r[0], -r[1].line), default=None)
        source = lowest[1] if lowest and lowest[1].file == told.source.file else told.source
        yield Finding(CHECK, "collapses", value=dict(told.captures), source=source)
    elif at is not None and logs.ended != "well":
        yield Finding(CHECK, "collapses", value={"scale": at[0]}, source=at[1])
    else:
        yield Finding(CHECK, "steady")


def reductions(logs: LogHits) -> list[tuple[float, Source]]:
    """The scales that overflow messages announce, in the order of time."""
    found: list[tuple[float, Source]] = []
    for mark in logs.marks:
        reduced = _REDUCED.search(mark.source.text) if mark.signature == "loss-scale" else None
        if reduced:
            found.append((float(reduced.group(1)), mark.source))
    return found


def collapse(scales: Sequence[tuple[float, Source]], limit: float) -> tuple[float, Source] | None:
    """The last scale, if it is at or below ``limit`` and was still falling when the log ended.

    A static scale, and one that probes upwards and backs off now and then, is steady.
    """
    if len(scales) < 2 or scales[-1][0] > limit:
        return None
    highest = max(scale for scale, _ in scales)
    recent = [scale for scale, _ in scales[-5:]]
    falling = all(b <= a for a, b in pairwise(recent))
    return scales[-1] if falling and highest > scales[-1][0] * 16 else None


PROBE = Probe(
    name="loss-scale",
    title=Text("the loss scale", "loss scale 的变化"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits,),
    seconds=0.01,
    limit_seconds=5.0,
)
