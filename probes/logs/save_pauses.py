"""The share of the time that goes by while the log tells of a save or an evaluation.

A log without step times tells them by the times of its step lines: the interval that holds such a
line lasts longer than one that holds none, and the difference is what it costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import Curve, LogHits, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from ..curve.numbers import median
from ..curve.speed import speeds

CHECK, SYMPTOM = "slow-onset", "training-slow"
WORK = "serial-work"
_SAVES = regex(
    r"(?i)\b(?:sav|writ|stor|evaluat|validat)(?:ing|ion)\b|\beval\b|checkpoint|保存|评估|验证"
)
PAUSES, PLAIN = 3, 10  # intervals with such work, and without
COSTLY = 0.3  # of the time: less is what many accept


def run(look: Look) -> Iterator[Finding]:
    if look.has(Curve) and speeds(look.fact(Curve)) is not None:
        return  # the steps' own times tell it
    logs = look.fact(LogHits)
    found = _costs(logs)
    if found is None:
        return
    step, share = found
    value = {"step": step.step, "share": f"{share:.0%}"}
    yield Finding(CHECK, "at-intervals", value=value, source=step.source)
    yield Finding(SYMPTOM, value=value, source=step.source)


def _costs(logs: LogHits) -> tuple[StepLine, float] | None:
    """The first step behind such work, and its share of the time. None where it is small, or where
    the steps carry no times."""
    steps = _of_one_writer(logs.steps)
    work = sorted(m.source.line for m in logs.marks if m.signature == WORK and steps
                  and m.source.file == steps[0].source.file and _SAVES.search(m.source.text))  # fmt: skip
    paused: list[tuple[StepLine, float]] = []
    plain: list[float] = []
    for before, after in pairwise(steps):
        seconds = (after.source.time or 0.0) - (before.source.time or 0.0)
        if any(before.source.line < line < after.source.line for line in work):
            paused.append((after, seconds))
        else:
            plain.append(seconds)
    if len(paused) < PAUSES or len(plain) < PLAIN or min(plain) < 0:
        return None
    usual = median(plain)
    lost = sum(max(0.0, seconds - usual) for _, seconds in paused)
    share = lost / (sum(plain) + sum(s for _, s in paused) or 1.0)
    each = median([s for _, s in paused])
    return (paused[0][0], share) if share >= COSTLY and each > 2 * usual else None


def _of_one_writer(steps: Sequence[StepLine]) -> list[StepLine]:
    """The lines with a time of the first file and rank."""
    timed = [s for s in steps if s.source.time is not None]
    first = timed[0].source if timed else None
    return [
        s for s in timed if first and (s.source.file, s.source.rank) == (first.file, first.rank)
    ]


PROBE = Probe(
    name="save-pauses",
    title=Text("the time that saving and evaluating takes", "保存与评估所占的时间"),
    tells=(CHECK, SYMPTOM),
    run=run,
    reliability="heuristic",
    needs=(LogHits,),
    wants=(Curve,),
    seconds=0.02,
    limit_seconds=5.0,
)
