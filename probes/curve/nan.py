"""The first loss that is not a number: when, on which rank, and what the gradients did."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from medic.facts import Curve, LogHits, Series, Source
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from . import needs
from .numbers import finite, median, value_at
from .plan import Plan, plan_of, source_at

RESUME_STEPS = 20
FIRST_STEPS = 100  # without a known warmup, what counts as the start of training
HISTORY = 200
MIN_HISTORY = 5
_STEP = re.compile(r"(?:step|iteration|iter)\D{0,4}(\d+)", re.IGNORECASE)
NORMAL = ("nan-onset", "nan-precursor", "nan-gradient")


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve) if look.has(Curve) else Curve()
    loss = curve.series.get("loss")
    told = told_by_log(look.fact(LogHits)) if look.has(LogHits) else None
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
    norm tells."""
    loss, norm = series.get("loss"), series.get("grad_norm")
    if loss is None:
        return None
    for i, value in enumerate(loss.values):
        if not math.isfinite(value):
            return i
        if value == 0.0 and norm is not None:
            grad = value_at(norm, loss.steps[i])
            if grad is not None and not math.isfinite(grad):
                return i
    return None


def told_by_log(logs: LogHits) -> tuple[int, Source] | None:
    """The step and line of a log line that says it, where the run stopped before it logged one."""
    if logs.ended == "well":
        return None
    for hit in logs.hits:
        if hit.symptom == "loss-nan" and not hit.benign and hit.role in ("root", "either"):
            named = _STEP.search(hit.source.text)
            step = int(named.group(1)) if named else (logs.last_step or 0) + 1
            return step, hit.source
    return None


def _of_log(look: Look, curve: Curve, step: int, source: Source) -> Iterator[Any]:
    """What the curve up to the break says; the break itself is known from the log only."""
    value: dict[str, Any] = {"step": step}
    loss = curve.series.get("loss")
    if loss is None:
        yield Skip(needs.LOSS, check="nan-onset")
    else:
        onset = _onset(loss, step, plan_of(look, curve), curve.resumed_at)
        yield Finding("nan-onset", onset, value=value, source=source)
    yield Skip(needs.NORM_THERE, check="nan-gradient")
    yield from _precursor(look, curve.series.get("grad_norm"), step, value)


def _of_rank(look: Look, curve: Curve, series: Mapping[str, Series], index: int) -> Iterator[Any]:
    loss = series["loss"]
    step = loss.steps[index]
    source = source_at(look, loss, index)
    value: dict[str, Any] = {"step": step, "rank": loss.rank or 0}
    yield Finding("loss-nan", value=value, source=source)
    onset = _onset(loss, step, plan_of(look, curve), curve.resumed_at)
    yield Finding("nan-onset", onset, value=value, source=source)
    norm = series.get("grad_norm")
    yield from _gradient(norm, step, value, source)
    yield from _precursor(look, norm, step, value)


def _onset(loss: Series, step: int, plan: Plan, resumed_at: Sequence[int] = ()) -> str:
    first = loss.steps[0]
    starts = (first, *resumed_at) if plan.resumed else resumed_at
    if any(0 <= step - start < RESUME_STEPS for start in starts):
        return "after-resume"
    if step <= max(1, first) and step <= 1:
        return "first-step"
    return "during-warmup" if step <= max(plan.warmup or FIRST_STEPS, 10) * 1.1 else "steady"


def _gradient(norm: Series | None, step: int, value: dict[str, Any], source: Any) -> Iterator[Any]:
    at = value_at(norm, step)
    if at is None:
        yield Skip(needs.NORM_THERE, check="nan-gradient")
        return
    outcome = "gradient-finite" if math.isfinite(at) else "gradient-nan"
    yield Finding("nan-gradient", outcome, value=value | {"grad_norm": at}, source=source)


def _precursor(look: Look, norm: Series | None, step: int, value: dict[str, Any]) -> Iterator[Any]:
    before = (
        []
        if norm is None
        else [
            (i, v) for i, (s, v) in enumerate(zip(norm.steps, norm.values, strict=True)) if s < step
        ]
    )
    if norm is None or len(finite([v for _, v in before])) < MIN_HISTORY:
        yield Skip(needs.NORMS_BEFORE, check="nan-precursor")
        return
    recent = int(look.threshold("precursor-steps"))
    index, last = before[-1]
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
    tells=("loss-nan", "nan-onset", "nan-precursor", "nan-gradient", "nan-ranks"),
    wants=(Curve, RunConfig, LogHits),
    reliability="exact",
    seconds=0.05,
    run=run,
)
