"""What a save after every step costs, by the times of the lines around it.

A step's line is followed by the line of its save, and that by the line of the next step: from the
first to the second the checkpoint is written, from the second to the third the GPU trains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import Hit, LogHits, Source, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.records import dataclass
from medic.text.patterns import regex

from ..curve.numbers import median

CHECK, SYMPTOM = "slow-onset", "training-slow"
DONE = "serial-done"
_SAVED = regex(r"(?i)\bsaved\b|\b(?:sav|writ)ing\b|\bsave\b|checkpoint|保存")
# It is written while training goes on: its line tells nothing of what the steps wait for.
_BESIDE = regex(r"(?i)async|background|异步|后台")
EACH = 0.9  # saves a step: one after every step
SAVES, STRETCHES = 10, 2  # fewer are a trial
COSTLY, SECONDS = 0.5, 30.0  # of the time, and in all: of a test of seconds nobody cares


@dataclass(frozen=True)
class Cost:
    """Of all the time the ``share`` that saving takes; the seconds of one save and of one step."""

    share: float
    save: float
    step: float
    source: Source


def run(look: Look) -> Iterator[Finding]:
    cost = _cost(look.fact(LogHits))
    if cost is None:
        return
    value = {
        "share": f"{cost.share:.0%}",
        "save": f"{cost.save:.2g} s",
        "step_time": f"{cost.step:.2g} s",
    }
    yield Finding(CHECK, "saves-every-step", value=value, source=cost.source, exact=True)
    yield Finding(SYMPTOM, value=value, source=cost.source)


def _cost(logs: LogHits) -> Cost | None:
    steps = [s for s in logs.steps if s.source.time is not None]
    if not steps or any(s.source.file != steps[0].source.file for s in steps):
        return None
    first = steps[0].source
    steps = [s for s in steps if s.source.rank == first.rank]
    saves = [
        m
        for m in logs.marks
        if m.signature == DONE
        and m.source.file == first.file
        and m.source.rank in (first.rank, None)
        and m.source.time is not None
        and _SAVED.search(m.source.text)
    ]
    if any(_BESIDE.search(m.source.text) for m in saves):
        return None
    return _of(steps, sorted(saves, key=lambda m: m.source.line))


def _of(steps: Sequence[StepLine], saves: Sequence[Hit]) -> Cost | None:
    """Over the stretches between two logged steps of which each step is saved."""
    written: list[float] = []
    trained: list[float] = []
    whole, count = 0.0, 0
    for before, after in pairwise(steps):
        between = [m for m in saves if before.source.line < m.source.line < after.source.line]
        steps_of = after.step - before.step
        if steps_of < 1 or len(between) < EACH * steps_of:
            return None
        start, end = before.source.time or 0.0, after.source.time or 0.0
        written.append((between[0].source.time or 0.0) - start)
        trained.append(end - (between[-1].source.time or 0.0))
        whole += end - start
        count += steps_of
    if len(written) < STRETCHES or count < SAVES or min(*written, *trained) < 0:
        return None
    lost = whole - count * median(trained)
    if lost < max(SECONDS, COSTLY * whole):
        return None
    return Cost(lost / whole, median(written), median(trained), saves[0].source)


PROBE = Probe(
    name="save-every-step",
    title=Text("saves after every step", "每步之后的保存"),
    tells=(CHECK, SYMPTOM),
    run=run,
    reliability="heuristic",
    needs=(LogHits,),
    seconds=0.02,
    limit_seconds=5.0,
)
