"""How the fp16 loss scale moves, from step lines and overflow messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import LogHits, Source, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from .evidence import hits

CHECK, SYMPTOM = "loss-scale", "loss-scale-collapses"
_REDUCED = regex(r"scale:? ?[\d.e+]+, reducing to ([\d.e+-]+)")
# A dynamic scale starts at 2^16 or 2^32 and settles far above this; see the check's source.
COLLAPSED = 128.0
# Steps of calibration; twice as many skipped, and the last so many all of them, is none any more.
CALIBRATION = 20


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    told = next(hits(logs, SYMPTOM), None)
    limit = _threshold(look, "collapsed-scale", COLLAPSED)
    scales = [(s.values["loss_scale"], s.source) for s in logs.steps if "loss_scale" in s.values]
    at = collapse(scales, limit) or collapse(reductions(logs), limit)
    lost = all_skipped(logs.steps, _threshold(look, "calibration-skips", CALIBRATION))
    if told is None and lost is not None:
        yield Finding(SYMPTOM, source=lost)
    if told is not None:
        lowest = min(reductions(logs), key=lambda r: (r[0], -r[1].line), default=None)
        source = lowest[1] if lowest and lowest[1].file == told.source.file else told.source
        yield Finding(CHECK, "collapses", value=dict(told.captures), source=source)
    elif at is not None and (lost is not None or logs.ended != "well"):
        yield Finding(CHECK, "collapses", value={"scale": at[0]}, source=at[1])
    else:
        yield Finding(CHECK, "steady")


def _threshold(look: Look, name: str, usual: float) -> float:
    try:
        return look.threshold(name)
    except KeyError:
        return usual


def all_skipped(steps: Sequence[StepLine], calibration: float) -> Source | None:
    """The line from which on each step to the end was skipped, long after any calibration.

    Megatron counts the skipped iterations since its last line, beside which no loss stands then.
    """
    rows = [s for s in steps if "skipped_iterations" in s.values]
    skipped = lost = 0.0
    since = None
    for before, row in pairwise(rows):
        count, of = row.values["skipped_iterations"], row.step - before.step
        if of <= 0:
            continue  # another rank's line of the step, or the run begins again
        skipped += count
        lost, since = (lost + count, since or row) if count >= of else (0.0, None)
    return since.source if since and skipped > 2 * calibration and lost > calibration else None


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
    tells=(CHECK, SYMPTOM),
    run=run,
    needs=(LogHits,),
    seconds=0.01,
    limit_seconds=5.0,
)
