"""The first loss that is not a number: when, on which rank, and what the gradients did."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from medic.facts import Counted, Curve, LogHits, Series, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import replace
from medic.run_config import RunConfig
from medic.text.patterns import regex

from . import nan_gradient, needs
from .numbers import finite, median, value_at
from .plan import Plan, plan_of, source_at
from .unlogged import counted, with_unlogged

RESUME_STEPS = 20
FIRST_STEPS = 100  # where no warmup is known, the start of training
JUST_PEAKED = 1.1  # of the warmup
HISTORY = 200
MIN_HISTORY = 5
LOST = 10  # norms in a row; torch's scaler halves 2^16 in fewer steps, or is hopeless
_STEP = regex(r"(?:step|iteration|iter)\D{0,4}(\d+)", re.IGNORECASE)
_LOSS, _NORM = Text("the loss", " Loss "), Text("the gradient norm", "梯度范数")
_HIDDEN = Text("the gradient norm beside a logged loss of 0", "梯度范数（所记 loss 为 0）")
AFTER_FIRST = "after-first-update"
NORMAL = ("nan-onset", "nan-precursor", "nan-gradient")


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve) if look.has(Curve) else Curve()
    curve = replace(
        curve,
        series=with_unlogged(curve.series),
        by_rank={rank: with_unlogged(series) for rank, series in curve.by_rank.items()},
    )
    loss = curve.series.get("loss")
    told = told_by_log(look.fact(LogHits), loss) if look.has(LogHits) else None
    firsts = {r: i for r, s in curve.by_rank.items() if (i := first_nan(s)) is not None}
    if not firsts and told is not None:
        yield from _of_log(look, curve, *told)
        return
    if loss is None:
        yield Skip(needs.LOSS, check="nan-onset")
        return
    if not firsts:
        for name in NORMAL:
            yield Finding(name, "not-nan")
        return
    rank = min(firsts, key=lambda r: (curve.by_rank[r]["loss"].steps[firsts[r]], r))
    yield from _of_rank(look, curve, curve.by_rank[rank], firsts[rank])
    yield from _ranks(look, curve, firsts)


def first_nan(series: Mapping[str, Series]) -> int | None:
    """Index of the first non-finite loss. HF Trainer logs such a loss as 0.0: its gradient
    norm tells. So does a norm that was finite and is not from there to the end."""
    loss, norm = series.get("loss"), series.get("grad_norm")
    if loss is None:
        return None
    told = counted(series.get("nan_iterations"))
    for i, value in enumerate(loss.values):
        if not math.isfinite(value) or (told is not None and loss.steps[i] >= told):
            return i
        if value == 0.0 and norm is not None:
            grad = value_at(norm, loss.steps[i])
            if grad is not None and not math.isfinite(grad):
                return i
    lost = _lost(norm)
    return next((i for i, s in enumerate(loss.steps) if lost is not None and s >= lost), None)


def _lost(norm: Series | None) -> int | None:
    """The step from which on no gradient norm is finite: a loss scaler skips a few steps, and a
    norm that never was finite is not measured."""
    if norm is None:
        return None
    broken = list(takewhile(lambda v: not math.isfinite(v), reversed(norm.values)))
    known = finite(norm.values)
    if len(broken) < LOST or len(known) < MIN_HISTORY:
        return None
    return norm.steps[len(norm.values) - len(broken)]


def told_by_log(logs: LogHits, loss: Series | None) -> tuple[int, bool, Source] | None:
    """The line that says it where the run stopped before it logged such a loss: its step, and
    whether the line names it.

    A line that finite losses follow tells of no NaN of the training loss. Nor does one of a step
    that has a finite loss, unless the run ended with it: then it counts other steps.
    """
    if logs.ended == "well":
        return None
    last = max(logs.last_step or 0, loss.steps[-1] if loss else 0)
    for hit in logs.hits:
        if hit.symptom != "loss-nan" or hit.benign or hit.role not in ("root", "either"):
            continue
        found = _STEP.search(hit.source.text)
        named = int(found.group(1)) if found else None
        if _goes_on(logs, hit.source):
            continue
        if named is not None and not (loss and _passed(loss, named)):
            return named, True, hit.source
        if named is None or _at_end(logs, hit.source):
            return last + 1, False, hit.source
    return None


def _at_end(logs: LogHits, source: Source) -> bool:
    ends = {(s.file, s.line) for s in (*logs.tail, *logs.exceptions)}
    return (source.file, source.line) in ends


def _goes_on(logs: LogHits, source: Source) -> bool:
    """Whether the same log tells finite losses after the line."""
    return any(
        math.isfinite(s.values.get("loss", math.nan))
        for s in logs.steps
        if s.source.file == source.file and s.source.line > source.line
    )


def _passed(loss: Series, step: int) -> bool:
    return any(s >= step and math.isfinite(v) for s, v in zip(loss.steps, loss.values, strict=True))


def _of_log(look: Look, curve: Curve, step: int, named: bool, source: Source) -> Iterator[Any]:
    """What the curve up to the break says; the break itself is known from the log only."""
    when = _when(step) if named else Text("in this line", "此行")
    value: dict[str, Any] = {"step": step, "when": when}
    loss = curve.series.get("loss")
    if loss is None:
        yield Skip(needs.LOSS, check="nan-onset")
    else:
        onset = _onset(curve, loss, step, plan_of(look, curve))
        yield Finding("nan-onset", onset, value=value, source=source)
    yield Skip(needs.NORM_THERE, check="nan-gradient")
    yield from _precursor(look, _of(source.file, curve.series.get("grad_norm")), step, value)


def _when(step: int) -> Text:
    if Counted.is_count(step):
        return Text("in this line", "此行")
    return Text(f"at step {step}", f"第 {step} 步")


def _of_rank(look: Look, curve: Curve, series: Mapping[str, Series], index: int) -> Iterator[Any]:
    loss = series["loss"]
    step = loss.steps[index]
    source = source_at(look, loss, index)
    value: dict[str, Any] = {"step": step, "rank": loss.rank or 0, "when": _when(step)}
    value["what"] = _what(loss.values[index])
    yield Finding("loss-nan", value=value, source=source)
    plan = plan_of(look, curve)
    if index == 0 and step > FIRST_STEPS and not (plan.resumed or curve.resumed_at):
        yield Skip(needs.LOSSES_BEFORE, check="nan-onset")  # cut, or begun there: both look so
    else:
        onset = _onset(curve, loss, step, plan)
        before = (source_at(look, loss, 0),) if onset == AFTER_FIRST else ()
        told = value | {"first": loss.values[0], "first_step": int(loss.steps[0])}
        yield Finding("nan-onset", onset, value=told, source=source, more=before)
    norm = _of(loss.file, series.get("grad_norm"))
    if "nan_iterations" in series and not _is_lost(loss.values[index]):
        yield Skip(
            needs.NORM_THERE, check="nan-gradient"
        )  # both are of the steps that were not lost
        return
    yield from nan_gradient.judge(loss, index, norm, value, source)
    yield from _precursor(look, norm, step, value)


def _of(file: str, series: Series | None) -> Series | None:
    """A series that stands in the file of the break: the steps of another log may be another run's."""
    return series if series is not None and series.file == file else None


def _what(value: float) -> Text:
    """What of the row is no number."""
    if not math.isfinite(value):
        return _LOSS
    return _HIDDEN if value == 0.0 else _NORM


def _is_lost(value: float) -> bool:
    return not math.isfinite(value) or value == 0.0  # as HF Trainer logs it


def _onset(curve: Curve, loss: Series, step: int, plan: Plan) -> str:
    first = loss.steps[0]
    starts = (first, *curve.resumed_at) if plan.resumed else curve.resumed_at
    if any(0 <= step - start < RESUME_STEPS for start in starts):
        return "after-resume"
    if step <= max(1, first) and step <= 1:
        return "first-step"
    if step == 2 and first == 1 and math.isfinite(loss.values[0]):
        return AFTER_FIRST
    warmup = plan.warmup or _risen(curve.series.get("learning_rate"), step)
    if warmup is None:
        warmup = plan.warmup
    if warmup is not None:
        return "during-warmup" if step <= max(warmup, 10) * JUST_PEAKED else "steady"
    return "first-hundred-steps" if step <= FIRST_STEPS else "steady"


def _risen(rate: Series | None, step: int) -> int | None:
    """The step up to which the logged rate rose, ``step`` if it rises still; None if unknown."""
    if rate is None:
        return None
    before = [(s, v) for s, v in zip(rate.steps, rate.values, strict=True) if s <= step]
    if len(before) < 2 or before[0][0] > FIRST_STEPS:
        return None  # where it began is not logged
    peak = max(v for _, v in before)
    return next(s for s, v in before if v == peak)


def _precursor(look: Look, norm: Series | None, step: int, value: dict[str, Any]) -> Iterator[Any]:
    before = (
        []
        if norm is None
        else [
            (i, v) for i, (s, v) in enumerate(zip(norm.steps, norm.values, strict=True)) if s < step
        ]
    )
    known = finite([v for _, v in before])
    # One number for every step is no measured norm.
    if norm is None or len(known) < MIN_HISTORY or len(set(known)) == 1:
        yield Skip(needs.NORMS_BEFORE, check="nan-precursor")
        return
    recent = int(look.threshold("precursor-steps"))
    index, last = before[-1]
    if not math.isfinite(last):  # it had overflowed by then: no usual level, and no growth to it
        yield Skip(needs.NORMS_BEFORE, check="nan-precursor")
        return
    usual = median([v for _, v in before[-HISTORY:][: -min(recent, len(before) // 2)] or before])
    top = max(finite([v for _, v in before[-recent:]]))
    grew = top >= look.threshold("precursor-ratio") * usual and _rises(before)
    facts = value | {"ratio": f"{top / usual:.1f}" if usual else "-", "last": last}
    outcome = "gradients-grew" if grew else "no-precursor"
    yield Finding("nan-precursor", outcome, value=facts, source=source_at(look, norm, index))


def _rises(before: list[tuple[int, float]]) -> bool:
    """The last norms before the break stand above those before them: no lone early peak."""
    tail = finite([v for _, v in before[-6:]])
    return len(tail) >= 4 and median(tail[-2:]) > median(tail[:3])


def _ranks(look: Look, curve: Curve, firsts: dict[int, int]) -> Iterator[Any]:
    losses = [s["loss"] for s in curve.by_rank.values() if "loss" in s]
    if len(losses) < 2 or _averaged(losses):
        yield Skip(needs.LOCAL_LOSSES, check="nan-ranks")
        return
    steps = {r: curve.by_rank[r]["loss"].steps[i] for r, i in firsts.items()}
    first = min(steps, key=lambda r: (steps[r], r))
    alone = any(
        steps.get(r) is None or steps[r] > steps[first] for r in curve.by_rank if r != first
    )
    loss = curve.by_rank[first]["loss"]
    source = source_at(look, loss, firsts[first])
    outcome = "one-rank-first" if alone else "all-ranks-at-once"
    yield Finding("nan-ranks", outcome, value={"rank": first, "step": steps[first]}, source=source)


def _averaged(losses: Sequence[Series]) -> bool:
    """Whether all ranks logged the same numbers: a loss after its all-reduce."""
    tables = [dict(zip(s.steps, s.values, strict=True)) for s in losses]
    shared = set.intersection(*(set(t) for t in tables))
    rows = [{t[step] for t in tables} for step in shared]
    numbers = [row for row in rows if all(math.isfinite(v) for v in row)]
    return bool(numbers) and all(len(row) == 1 for row in numbers)


PROBE = Probe(
    name="curve-nan",
    title=Text("the first NaN", "首个 NaN"),
    tells=("loss-nan", "nan-onset", "nan-precursor", "nan-gradient", "nan-ranks"),
    wants=(Curve, RunConfig, LogHits),
    reliability="exact",
    seconds=0.05,
    run=run,
)
