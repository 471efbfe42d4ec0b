"""What the columns of one print mean, by their names and by all of its rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from medic.facts import Source
from medic.records import dataclass, field
from medic.text.patterns import regex

from .row_fields import MEAN, Field
from .row_names import (
    EPOCHS,
    OTHERS,
    PARTLY,
    STEPS,
    STRONG,
    WEAK,
    Role,
    of_evaluation,
    role_of,
    scaled,
)
from .steps import Step

LEAST = 3
FEW, MANY = 1.5, 20.0  # times the first time of a step: more, of seconds and of ms, is a clock
_SCORES = regex(
    r"(?i)\b(?:acc(?:uracy)?|f1|auc|bleu|rouge|score|recall|precision|map|top-?[15]|size|split|ratio|"
    r"count|examples|rows|samples|tokens:?)(?![/\w])"
)
_LOSSES = ("loss", "eval_loss")


class Row(NamedTuple):
    source: Source
    values: tuple[float, ...]
    step: Step | None  # what the line says by itself


@dataclass
class Group:
    """The rows of one print. ``names`` are those of a header above it."""

    skeleton: tuple[str, ...]
    fields: list[Field]  # of the first row
    names: list[str] | None = None
    rows: list[Row] = field(default_factory=list)

    def name(self, n: int) -> str:
        return self.names[n] if self.names else self.fields[n].name

    def column(self, n: int) -> list[float]:
        return [row.values[n] for row in self.rows]


class Meaning(NamedTuple):
    """Columns by what they tell; ``steps`` of the rows, ``plain`` as they are printed."""

    roles: dict[int, Role]
    held: bool  # a row of an evaluation
    trains: bool
    steps: list[int] | None
    plain: list[int]
    anew: bool  # the iterations begin again with each epoch
    by_epoch: bool  # the epoch is all that is counted
    planned: int | None


def weak_losses(group: Group) -> set[str]:
    """Names that mean a loss in these rows, and a split, a score or a size in others."""
    if _SCORES.search(group.skeleton[-1]):
        return set()
    roles = [(n, role_of(group.name(n), f.unit)) for n, f in enumerate(group.fields)]
    weak = [
        n
        for n, role in roles
        if role and role.sure == WEAK and role.metric in _LOSSES and not _is_marked(group, n)
    ]
    if any(_SCORES.search(" ".join(group.skeleton[: n + 1])) for n in weak):
        return set()
    if not all(_like_a_loss(group, n) for n in weak):
        return set()  # a part that is a score makes the others one
    found = {group.name(n) for n in weak}
    return found if _counts(group) else set()


def _counts(group: Group) -> bool:
    """Whether a row names its step, or its epoch, or was read as a step."""
    names = {group.name(n) for n in range(len(group.fields))}
    named = not names.isdisjoint(STEPS | EPOCHS) or any(row.step for row in group.rows)
    return named or "@" in group.skeleton[0] or _unnamed_step(group) is not None


def _like_a_loss(group: Group, n: int) -> bool:
    """No count, and no share that rises as an accuracy does."""
    shown = [v for v in group.column(n) if math.isfinite(v)]
    if group.fields[n].slashed or not shown:
        return not group.fields[n].slashed
    if all(v == int(v) for v in shown) or max(map(abs, shown)) > 1e4:
        return False
    third = max(1, len(shown) // 3)
    rises = sum(shown[-third:]) > sum(shown[:third])
    return not (rises and (max(shown) <= 1.0 or (max(shown) <= 100.0 and max(shown) > 20.0)))


def meaning(group: Group, sure: Collection[str]) -> Meaning | None:
    """None where no column of the rows tells a metric that ``sure`` and the names bear out."""
    if any(group.name(n) in OTHERS for n in range(len(group.fields))):
        return None
    held = _of_evaluation(group)
    roles = _chosen(group, sure, held=held)
    if not roles:
        return None
    at, total = _step_column(group)
    epoch = next((n for n in range(len(group.fields)) if group.name(n) in EPOCHS), None)
    plain = [int(v) for v in group.column(at)] if at is not None and _counted(group, at) else []
    steps, anew = _steps(group, plain, epoch, total)
    by_epoch = not plain and steps is not None
    trains = any(role.metric == "loss" for role in roles.values())
    return Meaning(roles, held, trains, steps, plain, anew, by_epoch, None if anew else total)


def _of_evaluation(group: Group) -> bool:
    words = ""
    for n, one in enumerate(group.fields):
        role = role_of(group.name(n), one.unit)
        words += f" {one.before}"
        if role is not None and role.metric in _LOSSES:
            return of_evaluation(words)
    return False


def _chosen(group: Group, sure: Collection[str], *, held: bool) -> dict[int, Role]:
    """One column a metric: the surest name, and of equal ones the first."""
    best: dict[str, tuple[int, Role]] = {}
    parts = 0
    for n, one in enumerate(group.fields):
        name = group.name(n)
        role = role_of(name, one.unit)
        if role is None or role.metric == "epoch" or one.slashed:
            continue
        if role.sure == WEAK and not _bears_out(group, n, role, name in sure):
            continue
        parts += role.form == "part"
        metric = "eval_loss" if held and role.metric == "loss" else role.metric
        known = best.get(metric)
        if known is None or role.sure > known[1].sure:
            best[metric] = n, role._replace(metric=metric)
    return dict(best.values())


def _bears_out(group: Group, n: int, role: Role, known: bool) -> bool:
    if role.metric in _LOSSES:
        return known
    if role.metric == "step_time":
        return len(group.rows) >= LEAST and not _is_clock(group.column(n), role.form)
    return len(group.rows) >= LEAST


def _is_clock(column: Sequence[float], unit: str) -> bool:
    """Whether a time is that since the start: it grows from row to row, to many times the first."""
    grows = all(b > a for a, b in itertools.pairwise(column))
    return grows and column[-1] > (MANY if unit == "ms" else FEW) * column[0]


def _step_column(group: Group) -> tuple[int | None, int | None]:
    """(the column of the step, the steps that are planned)."""
    fields = group.fields
    named = [n for n in range(len(fields)) if group.name(n) in STEPS and fields[n].whole]
    marked = [n for n, f in enumerate(fields) if _is_marked(group, n) and f.whole]
    paired = [
        n for n, f in enumerate(fields[:-1]) if f.slashed and f.whole and _is_unnamed(group, n)
    ]
    at = next((c[0] for c in (named, marked, paired) if c), None)
    if at is None:
        at = _unnamed_step(group)
    total = None
    if at is not None and fields[at].slashed and at + 1 < len(fields):
        totals = set(group.column(at + 1))
        total = int(totals.pop()) if len(totals) == 1 else None
    return at, total or None


def _is_marked(group: Group, n: int) -> bool:
    return group.fields[n].before.rstrip().endswith(("@", "#"))


def _is_unnamed(group: Group, n: int) -> bool:
    return group.name(n) in ("", MEAN)


def _unnamed_step(group: Group) -> int | None:
    """A first number that has no name and grows from row to row."""
    if not group.fields or group.name(0) or not group.fields[0].whole or group.fields[0].unit:
        return None
    column = group.column(0)
    grows = all(b > a for a, b in itertools.pairwise(column))
    return 0 if grows and len(column) >= LEAST else None


def _counted(group: Group, n: int) -> bool:
    return all(math.isfinite(v) and v == int(v) and 0 <= v < 1e12 for v in group.column(n))


def _steps(
    group: Group, plain: Sequence[int], epoch: int | None, total: int | None
) -> tuple[list[int] | None, bool]:
    """(the steps of the rows, whether they begin again with each epoch)."""
    epochs = (
        [int(v) for v in group.column(epoch)]
        if epoch is not None and _counted(group, epoch)
        else []
    )
    if not plain:
        return (epochs or None), False
    if not epochs:
        return list(plain), False
    turns = [
        b < a
        for (a, e), (b, f) in zip(
            zip(plain, epochs, strict=True), zip(plain[1:], epochs[1:], strict=True), strict=False
        )
        if f > e
    ]
    if not turns or not all(turns):
        return list(plain), False
    gaps = [b - a for a, b in itertools.pairwise(plain) if b > a]
    of_epoch = total if total and total >= max(plain) else max(plain) + min(gaps, default=1)
    first = min(epochs)
    return [(e - first) * of_epoch + s for e, s in zip(epochs, plain, strict=True)], True


def values(meaning: Meaning, row: Row) -> dict[str, float]:
    """What a row tells, in the units of the metrics."""
    return {role.metric: scaled(role, row.values[n]) for n, role in meaning.roles.items()}


def surest(meaning: Meaning) -> int:
    """How sure the loss of the rows is; 0 without one."""
    return max((r.sure for r in meaning.roles.values() if r.metric in _LOSSES), default=0)


__all__ = [
    "PARTLY",
    "STRONG",
    "Group",
    "Meaning",
    "Row",
    "meaning",
    "surest",
    "values",
    "weak_losses",
]
