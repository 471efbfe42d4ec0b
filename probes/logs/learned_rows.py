"""Rows of loops of one's own, known by their repetition: one print, again and again with other numbers.

What a line says by itself, ``Steps`` reads. A name such as "train" or "val", a step without a name, a
header over bare numbers, an epoch whose iterations begin again: these are known from all rows of a
print, once the file is read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from medic.facts import Counted, Source, StepLine

from . import row_columns as columns
from .headers import Headers
from .row_columns import Group, Meaning, Row
from .row_fields import cut, may_be_row
from .steps import Step

LEAST, ALONE = 3, 5  # rows of a print; of one that names no step at all
MAX_ROWS, MAX_GROUPS = 100_000, 4000
_OBJECTIVES = frozenset({"loss", "eval_loss", "policy_loss", "reward"})

Key = tuple[int | None, tuple[str, ...]]
Placed = list[tuple[int, int]]  # (line, step), in the order of the lines


class LearnedRows:
    """Takes the lines of a file in order; ``settle`` gives what their rows say."""

    def __init__(self) -> None:
        self._groups: dict[Key, Group] = {}
        self._headers = Headers()
        self._count = 0
        self.planned = 0  # steps, as the settled rows say

    def feed(
        self, words: str, step: Step | None, rank: int | None, at: Callable[[], Source]
    ) -> None:
        """A line, with what it says by itself."""
        if not may_be_row(words):
            self._headers.feed(words)
            return
        if self._count >= MAX_ROWS:
            return
        skeleton, fields = cut(words)
        group = self._groups.get((rank, skeleton))
        if group is None:
            if len(self._groups) >= MAX_GROUPS or not fields:
                return
            group = Group(skeleton, fields, self._headers.names(skeleton, fields))
            self._groups[rank, skeleton] = group
        self._count += 1
        group.rows.append(Row(at(), tuple(f.value for f in fields), step))

    def settle(self) -> Iterator[StepLine]:
        """By group, not in the order of the lines: what takes the place of what a line was taken
        for. Nothing of a file that is too long: a part of its rows would seem to be all of them."""
        if self._count >= MAX_ROWS:
            return
        for rank in {rank for rank, _ in self._groups}:
            groups = [g for (of, _), g in self._groups.items() if of == rank]
            for row, planned in _of_writer(groups):
                self.planned = max(self.planned, planned or 0)
                yield row


def _of_writer(groups: Sequence[Group]) -> Iterator[tuple[StepLine, int | None]]:
    sure = {n for g in groups if len(g.rows) >= LEAST for n in columns.weak_losses(g)}
    known = [(g, m) for g in groups if (m := columns.meaning(g, sure)) is not None]
    stepped = [(g, m) for g, m in known if m.steps is not None and not m.by_epoch]
    rows = [r for g in groups for r in g.rows if r.step and not isinstance(r.step.number, Counted)]
    placed = {r.source.line: r.step.number for r in rows if r.step}
    trained = any(m.trains for _, m in stepped) or any(
        "loss" in r.step.values for r in rows if r.step
    )
    for group, meaning in stepped:
        for told in _stepped(group, meaning):
            yield told, meaning.planned
            placed[told.source.line] = told.step
    above = sorted(placed.items()) if trained else []
    for group, meaning in known:
        if meaning.steps is None or meaning.by_epoch:
            yield from ((told, None) for told in _summed(group, meaning, above))


def _stepped(group: Group, meaning: Meaning) -> Iterator[StepLine]:
    """Rows that tell their step."""
    for row, step, plain in zip(group.rows, meaning.steps or (), meaning.plain, strict=True):
        values = columns.values(meaning, row)
        number = step
        if row.step is not None:
            values |= row.step.values
            number = step if row.step.number == plain else row.step.number
            if (number, values) == tuple(row.step):
                continue
        elif _OBJECTIVES.isdisjoint(values):
            continue
        yield StepLine(number, values, row.source)


def _summed(group: Group, meaning: Meaning, placed: Placed) -> Iterator[StepLine]:
    """Rows that tell their epoch or nothing: beside the steps of a training, of which they are
    summaries, their evaluation counts, at the step above it."""
    sure = columns.surest(meaning)
    few = len(group.rows) < (ALONE if meaning.steps is None else LEAST)
    if not placed and (few or sure < (columns.STRONG if meaning.steps is None else 1)):
        return
    for ordinal, row in enumerate(group.rows, 1):
        values = columns.values(meaning, row)
        if row.step is not None:
            continue
        number = Counted(ordinal, 0) if meaning.steps is None else meaning.steps[ordinal - 1]
        if placed:
            at = bisect_right(placed, (row.source.line, 1 << 62)) - 1
            number = placed[max(at, 0)][1]
            values = {k: v for k, v in values.items() if k == "eval_loss"}
        if not _OBJECTIVES.isdisjoint(values):
            yield StepLine(number, values, row.source)
