"""Whether the loss goes on after a restart where it was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from medic.facts import Curve, LogHits, Series, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .jumps import relative_noise
from .numbers import clean, median, typical
from .plan import source_at
from .resumed_rate import pairs_of_logs, rate_lost

CHECK, SYMPTOM = "resume-difference", "resume-jumps"
POINTS = 10
MIN_POINTS = 3
SIGMAS, MEDIAN_ERROR = 5.0, 1.2533
HIGHER, LOWER = 1.05, 0.9
INITIAL = 0.9  # of the first loss of the run
FALLEN = 1.3  # times the level before: else the start and the resume do not differ
_NEEDS = Text(
    "a run that went on from a checkpoint, with losses of the same steps before and after",
    "从检查点恢复的训练，且恢复前后有相同步数的 loss",
)


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    loss = curve.series.get("loss")
    if loss is None or not (curve.replaced or look.has(LogHits)):
        yield Skip(_NEEDS, check=CHECK)
        return
    compared = [(old, _compare(look, loss, old)) for old in curve.replaced] or [
        (old, _compare(look, joined, old)) for joined, old in _of_two_logs(look.fact(LogHits))
    ]
    if not any(finding for _, finding in compared):
        yield Skip(_NEEDS, check=CHECK)
        return
    # A loss that goes on while the rate was lost is told by the rate's own probe.
    told = [f for old, f in compared if f and (f.outcome != "none" or not rate_lost(curve, old))]
    if not told:
        return
    worst = next((f for f in told if f.outcome != "none"), told[-1])
    yield worst
    jumps = worst.outcome != "none"
    yield Finding(
        SYMPTOM,
        "present" if jumps else "absent",
        value=worst.value,
        source=worst.source,
        more=worst.more,
    )


def _of_two_logs(logs: LogHits) -> Iterator[tuple[Series, Series]]:
    """The losses of a log that goes on where an earlier one had been, and those that it repeats."""
    for first, later in pairs_of_logs(logs, "loss"):
        at = later[0].step
        before = [s for s in first if s.step < at]
        repeated = [s for s in first if s.step >= at]
        if before and repeated:
            yield _series([*before, *later], later[0].source.file), _series(repeated, "")


def _series(lines: Sequence[StepLine], file: str) -> Series:
    of = [(s.step, s.values["loss"], s.source.line) for s in lines]
    steps, values, numbers = zip(*of, strict=True)
    return Series("loss", file, steps, values, numbers, lines[0].source.rank)


def _compare(look: Look, loss: Series, old: Series) -> Finding | None:
    """The losses of the same steps, before and after; None where too few are there."""
    steps, values, _ = clean(loss)
    at = old.steps[0]
    index = next((n for n, s in enumerate(steps) if s >= at), None)
    if index is None:
        return None
    if index == 0 and (found := _goes_on(look, loss, old)) is not None:
        return found
    pairs = _paired(old, steps[index:])
    if len(pairs) < MIN_POINTS:
        return None
    before = [old.values[one] for one, _ in pairs]
    after = [values[index + other] for _, other in pairs]
    was, now = median(before), median(after)
    error = relative_noise(values) * MEDIAN_ERROR * math.sqrt(1 / len(before) + 1 / len(after))
    outcome = _outcome(was, now, math.exp(SIGMAS * error), after[0], values[0])
    if outcome == "back-to-initial" and after[0] <= HIGHER * before[0]:
        outcome = "none"  # it began anew, and fares as it did at first
    one, other = pairs[typical(before)][0], index + pairs[typical(after)][1]
    value = {"step": at, "before": old.values[one], "before_step": int(old.steps[one])}
    value |= {"after": values[other], "after_step": int(steps[other])}
    source = source_at(look, loss, loss.steps.index(steps[other]))
    return Finding(CHECK, outcome, value=value, source=source, more=(source_at(look, old, one),))


def _goes_on(look: Look, loss: Series, old: Series) -> Finding | None:
    """The counter began again at its first step, and the loss is nearer to where it had got to than
    to where it began: its last losses are what it goes on from, not those of the same steps."""
    steps, values, _ = clean(loss)
    before, after = old.values[-POINTS:], values[:MIN_POINTS]
    if len(before) < POINTS or len(after) < MIN_POINTS or not all(map(math.isfinite, old.values)):
        return None
    begun, was, now = median(old.values[:MIN_POINTS]), median(before), median(after)
    if begun <= FALLEN * was or now > (begun + was) / 2:
        return None
    error = relative_noise(values) * MEDIAN_ERROR * math.sqrt(1 / len(before) + 1 / len(after))
    outcome = _outcome(was, now, math.exp(SIGMAS * error), 0.0, values[0])
    value = {"step": steps[0], "before": old.values[-1], "before_step": int(old.steps[-1])}
    value |= {"after": values[0], "after_step": int(steps[0])}
    source = source_at(look, loss, loss.steps.index(steps[0]))
    more = (source_at(look, old, len(old.steps) - 1),)
    outcome = "none" if outcome == "lower-than-before" else outcome
    return Finding(CHECK, outcome, value=value, source=source, more=more)


def _paired(old: Series, steps: Sequence[int]) -> list[tuple[int, int]]:
    """Indices of the first losses of the old series, and of the new ones of the same steps: of those
    between, as the two may be logged at other intervals, the last one."""
    pairs: list[tuple[int, int]] = []
    place = 0
    for index, (step, value) in enumerate(zip(old.steps, old.values, strict=True)):
        while place + 1 < len(steps) and steps[place + 1] <= step:
            place += 1
        if len(pairs) == POINTS or step > steps[-1]:
            break
        if math.isfinite(value) and steps[place] <= step:
            pairs.append((index, place))
    return pairs


def _outcome(was: float, now: float, chance: float, first: float, initial: float) -> str:
    if initial > FALLEN * was and first > INITIAL * initial:
        return "back-to-initial"
    if now > was * max(HIGHER, chance) and now > was + 0.03:
        return "higher-then-recovers"
    if now < was * min(LOWER, 1 / chance) and now < was - 0.05:
        return "lower-than-before"
    return "none"


PROBE = Probe(
    name="curve-resume",
    title=Text("the loss across the restart", "重启前后的 loss"),
    tells=(CHECK, SYMPTOM),
    needs=(Curve,),
    wants=(LogHits,),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
