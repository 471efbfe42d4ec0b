"""Where a run started from a checkpoint, or meant to: the losses and rates before and after.

A start is a line that says so. What was before stands above it in its log, in the log of an earlier
launch, or in a file of metrics that ends where it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from medic.facts import Curve, Hit, LogHits, Series, Source, StepLine
from medic.probe import Look
from medic.text.patterns import regex

from ..logs.digits import whole

BEGUN = 0.1  # of the steps before: a counter below it has begun again
Kind = Literal["resumed", "loaded", "no-checkpoint"]
KEYS_LEFT = "keys-left"  # weights that a load left out: one in the middle of a log is a restart's
DATA = "data-begins"
BESIDE = ("state-left", DATA)  # what is told at a start, and is none by itself
MARKS = ("resume", "no-checkpoint", KEYS_LEFT, *BESIDE)
# A setting that is printed, a download that goes on, the shards of pretrained weights.
_NO_START = regex(
    r"(?i)--\S*(?:resum|continu)|resume\w*['\"]?\s?[:=]|\b(?:none|null|false|no)\b|download|shards|"
    r"\bpre-?trained\b|tokenizer|\bretry"
)
_LOADS = regex(r"(?i)\b(?:restor|load)(?:ed|ing)\b")
_STEP = regex(
    r"(?i)(?:checkpoint|global[_ ]?step|\bstep|\biter(?:ation)?)s?[-_ =:]{0,3}0{0,9}(\d{1,9})(?!\d*\.\d)|"
    r"第 ?(\d{1,9}) ?步"
)


class Row(NamedTuple):
    """A logged step with a loss; ``rate`` is the learning rate, where it tells one."""

    step: int
    loss: float
    rate: float | None
    source: Source


class Start(NamedTuple):
    """``step``: the one that the words name. ``here``: what was before stands in the same file."""

    kind: Kind
    source: Source
    step: int | None
    before: list[Row]
    after: list[Row]
    left: tuple[Hit, ...]
    here: bool
    data: Hit | None = None  # a line by which the data starts anew


def starts(look: Look) -> list[Start]:
    """Every start from a checkpoint that the logs tell of, with rows on either side."""
    if not look.has(LogHits):
        return []
    logs = look.fact(LogHits)
    marks = sorted(_marks(logs), key=lambda h: (h.source.file, h.source.line))
    if not marks:
        return []
    curve = look.fact(Curve) if look.has(Curve) else Curve()
    rows = _by_file((*logs.former_steps, *logs.steps))
    former = _by_file(logs.earlier_steps)
    return [
        s._replace(data=next((h for h in group if h.signature == DATA), None))
        for group in _groups(marks, rows)
        for s in _start(group, rows, former, curve)
    ]


def _marks(logs: LogHits) -> Iterator[Hit]:
    for hit in logs.marks:
        text = hit.source.text[:400]
        if hit.signature in MARKS and (hit.signature != "resume" or not _NO_START.search(text)):
            yield hit


def _by_file(lines: Sequence[StepLine]) -> dict[str, list[Row]]:
    """The losses of each file in its own order; of a file those of its first rank alone."""
    found: dict[str, list[Row]] = {}
    rank: dict[str, int | None] = {}
    for line in sorted(lines, key=lambda s: s.source.line):
        file, loss = line.source.file, line.values.get("loss")
        if loss is not None and rank.setdefault(file, line.source.rank) == line.source.rank:
            row = Row(line.step, loss, line.values.get("learning_rate"), line.source)
            found.setdefault(file, []).append(row)
    return found


def _groups(marks: Sequence[Hit], rows: Mapping[str, list[Row]]) -> Iterator[list[Hit]]:
    """The marks of one file between which no loss was logged."""
    group: list[Hit] = []
    for hit in marks:
        if group and not _together(group[-1].source, hit.source, rows):
            yield group
            group = []
        group.append(hit)
    if group:
        yield group


def _together(one: Source, other: Source, rows: Mapping[str, list[Row]]) -> bool:
    between = (one.line < row.source.line < other.line for row in rows.get(one.file, ()))
    return one.file == other.file and not any(between)


def _start(
    group: Sequence[Hit],
    rows: Mapping[str, list[Row]],
    former: Mapping[str, list[Row]],
    curve: Curve,
) -> Iterator[Start]:
    told = {h.signature for h in group}
    own = rows.get(group[0].source.file, [])
    if not told & {"resume", "no-checkpoint"} and not _reloads(group, own):
        return
    first = next(h for h in group if h.signature not in BESIDE)
    left = tuple(h for h in group if h.signature == "state-left")
    kind: Kind = "resumed"
    if "no-checkpoint" in told:
        kind = "no-checkpoint"
        first = next(h for h in group if h.signature == "no-checkpoint")
    elif all(_LOADS.search(h.source.text) for h in group if h.signature == "resume"):
        kind = "loaded"
    step = next((n for h in group if (n := _number(h.source.text)) is not None), None)
    after = [r for r in own if r.source.line > first.source.line]
    before = [r for r in own if r.source.line < first.source.line]
    if before and after:
        dense = [*_in_metrics(kind, first.source, step, curve, left)] if step is not None else []
        rated = any(r.rate is not None for r in before[-1:])
        of_metrics = dense and dense[0].before and dense[0].after
        if (
            of_metrics
            and len(dense[0].before) > len(before)
            and rated <= (dense[0].before[-1].rate is not None)
        ):
            yield dense[0]
            return
        yield Start(kind, first.source, step, before, after, left, here=True)
    elif after:
        old = _of_metrics(curve, first.source.file, step) or next(reversed([*former.values()]), [])
        yield Start(kind, first.source, step, old, after, left, here=False)
    else:
        yield from _in_metrics(kind, first.source, step, curve, left)


def _reloads(group: Sequence[Hit], own: Sequence[Row]) -> bool:
    """Whether a load that tells what it left out stands between two logged losses, whose steps go on."""
    mark = next((h for h in group if h.signature == KEYS_LEFT), None)
    before = [r for r in own if mark is not None and r.source.line < mark.source.line]
    after = [r for r in own if mark is not None and r.source.line > mark.source.line]
    return bool(before and after) and after[0].step > BEGUN * before[-1].step


def _number(text: str) -> int | None:
    found = _STEP.search(text)
    return whole(found[1] or found[2]) if found else None


def _rows(loss: Series, rate: Series | None) -> list[Row]:
    rates = dict(zip(rate.steps, rate.values, strict=True)) if rate else {}
    return [
        Row(step, value, rates.get(step), Source(loss.file, line, loss.rank))
        for step, value, line in zip(loss.steps, loss.values, loss.lines, strict=True)
    ]


def _of_metrics(curve: Curve, log: str, step: int | None) -> list[Row]:
    """What a file of metrics tells up to the step at which the log goes on, if it ends there."""
    loss = curve.series.get("loss")
    if loss is None or loss.file == log or step is None or loss.steps[-1] > step:
        return []
    return _rows(loss, curve.series.get("learning_rate"))


def _in_metrics(
    kind: Kind, source: Source, step: int | None, curve: Curve, left: tuple[Hit, ...]
) -> Iterator[Start]:
    """A log without losses beside a file of metrics: the steps go back there, or past the step."""
    loss = curve.series.get("loss")
    if loss is None or loss.file == source.file:
        return
    rows = _rows(loss, curve.series.get("learning_rate"))
    again = next((s for s in reversed(curve.replaced) if s.file == loss.file), None)
    if again is not None:
        at = again.steps[0]
        before = [*(r for r in rows if r.step < at), *_rows(again, None)]
        yield Start(kind, source, step, before, [r for r in rows if r.step >= at], left, here=True)
    elif step is not None:
        before, after = [r for r in rows if r.step <= step], [r for r in rows if r.step > step]
        if before and after:
            yield Start(kind, source, step, before, after, left, here=True)
