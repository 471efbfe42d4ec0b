"""A learning rate that had begun to decay and climbs to its peak again, where no line says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from medic.facts import Counted, Curve, LogHits, Series, StepLine
from medic.probe import SAYS, Finding, Look, config_of
from medic.text.patterns import regex

from .numbers import median, nearest_before
from .plan import source_at
from .rate_leaps import LEAPS, is_up

SHAPE, NOT_AS_SET = "learning-rate-shape", "learning-rate-not-as-set"
NAME = "learning_rate"
FALLING, NEAR = 4, 10  # logged rates before the leap, and those after it in which it is at its peak
# Shares of the peak: warm restarts (SGDR, arXiv 1608.03983) leap from the bottom of a cycle, and a
# rate that was hardly lower than its peak has no leap.
LOW, HIGH, PEAK = 0.2, 0.8, 0.9
DOWN = 0.8  # times the rate before: what one interval of a decay does not change
LOSSES = 3
FALLEN = 1.3  # times the loss at the leap: else a start and a resume do not differ
CYCLES = regex(r"(?i)restart|cycl|sgdr|warm_?up_?stable")
_EPOCH = regex(r"(?i)\bepoch\b['\"]?\s{0,2}[:= \[]{0,3}(\d{1,6}(?:\.\d{1,6})?)")


class Row(NamedTuple):
    step: int
    rate: float
    loss: float | None
    epoch: float | None
    line: int


def judge(look: Look, curve: Curve, series: Series) -> Iterator[Finding]:
    """The leap of a schedule that was begun anew, in a run that goes on."""
    stated = config_of(look).get("lr_schedule")
    if isinstance(stated, str) and CYCLES.search(stated):
        return
    rows = _rows(look, curve, series)
    at = leap([r.rate for r in rows])
    if at is None or _said(look, series.file, rows[at - 1].line, rows[at].line):
        return
    if not goes_on(rows, at):
        return
    row = rows[at]
    value = {
        "peak": max(r.rate for r in rows[:at]),
        "before": rows[at - 1].rate,
        "after": row.rate,
        "step": row.step,
    }
    source = source_at(look, Series(NAME, series.file, (row.step,), (row.rate,), (row.line,)), 0)
    yield Finding(SHAPE, "rises-again", value=value, source=source)
    yield Finding(NOT_AS_SET, value={**value, SAYS: LEAPS}, source=source)


def leap(rates: Sequence[float]) -> int | None:
    """Where rates that were falling between their peak and their end are at the peak again: at
    once, or by a second warmup. None for those that do it twice, as cycles do."""
    found = []
    for at in range(FALLING, len(rates) - FALLING + 1):
        before, last, now = rates[at - FALLING : at], rates[at - 1], rates[at]
        peak = max(rates[:at])
        if not LOW * peak < last < HIGH * peak or any(b >= a for a, b in pairwise(before)):
            continue
        leaps = is_up(last, now) or now < DOWN * last
        if leaps and PEAK * peak <= max(rates[at : at + NEAR]) <= peak / PEAK:
            found.append(at)
    return found[0] if len(found) == 1 else None


def goes_on(rows: Sequence[Row], at: int) -> bool:
    """Whether the run goes on there: by its steps or epochs, else by a loss that does not begin anew."""
    before, after = rows[at - 1], rows[at]
    if before.epoch is not None and after.epoch is not None:
        return after.epoch >= before.epoch > 0
    if not Counted.is_count(after.step):
        return after.step > before.step
    losses = [[r.loss for r in part if r.loss is not None]
              for part in (rows[:LOSSES], rows[at - LOSSES : at], rows[at : at + LOSSES])]  # fmt: skip
    if not all(losses):
        return False
    first, was, now = map(median, losses)
    return first > FALLEN * was and now < (first + was) / 2


def _rows(look: Look, curve: Curve, series: Series) -> list[Row]:
    """The logged rates of one file in its order, over all attempts that it holds."""
    if look.has(LogHits):
        logs = look.fact(LogHits)
        own = [s for s in (*logs.former_steps, *logs.steps) if _is_of(s, series)]
        if own:
            return [_row(s) for s in sorted(own, key=lambda s: s.source.line)]
    loss = curve.series.get("loss")
    return [
        Row(step, rate, nearest_before(loss, step), None, line)
        for step, rate, line in zip(series.steps, series.values, series.lines, strict=True)
    ]


def _is_of(line: StepLine, series: Series) -> bool:
    source = line.source
    return NAME in line.values and source.file == series.file and source.rank == series.rank


def _row(line: StepLine) -> Row:
    epoch = _EPOCH.search(line.source.text[:400])
    loss = line.values.get("loss")
    at = float(epoch[1]) if epoch else None
    return Row(line.step, line.values[NAME], loss, at, line.source.line)


def _said(look: Look, file: str, first: int, last: int) -> bool:
    """Whether a line between the two tells of a checkpoint: then that is judged where it is read."""
    marks = look.fact(LogHits).marks if look.has(LogHits) else ()
    return any(
        h.signature == "resume" and h.source.file == file and first < h.source.line < last
        for h in marks
    )
