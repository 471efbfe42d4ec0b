"""Losses of JSON lines that are ``null`` from some row to the end: NaN has no other word there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..logs.metric_names import canonical

if TYPE_CHECKING:
    from .rows import Row

TAIL, BEFORE = 10, 10  # rows without a loss to the end, and rows that all had one
NAME = "loss"


def named(record: Any) -> bool:
    """Whether a record has a loss that is null."""
    items = record.items() if isinstance(record, dict) else ()
    return any(raw is None and (canonical(name) or ("",))[0] == NAME for name, raw in items)


def filled(rows: Sequence[Row], last: Any) -> list[Row]:
    """The rows, with a loss of NaN where it is null. ``last``: the record of the last row.

    A table with a column for all that is ever logged has nulls, too: so every row before must have a
    loss, and the rows without it nothing that those did not have.
    """
    with_loss = [n for n, row in enumerate(rows) if NAME in row.values]
    begin = with_loss[-1] + 1 if with_loss else 0
    if len(with_loss) < max(BEFORE, begin) or len(rows) - begin < TAIL or not named(last):
        return list(rows)
    known = set().union(*(row.values for row in rows[:begin]))
    if any(row.values.keys() - known for row in rows[begin:]):
        return list(rows)
    return [*rows[:begin], *_lost(rows[begin:])]


def _lost(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        yield row._replace(values={**row.values, NAME: math.nan})
