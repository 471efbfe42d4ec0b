"""Losses that were NaN and are in no line: Megatron counts such steps, and logs no average then."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import takewhile

from medic.facts import Series
from medic.records import replace

COUNTED = 3  # lines in a row


def counted(series: Series | None) -> int | None:
    """The step from which on each line counts steps whose loss was NaN, which Megatron leaves out
    of the average that it logs. A lone one is skipped, and training goes on."""
    if series is None:
        return None
    broken = list(takewhile(lambda v: v > 0, reversed(series.values)))
    return series.steps[len(series.values) - len(broken)] if len(broken) >= COUNTED else None


def with_unlogged(series: Mapping[str, Series]) -> Mapping[str, Series]:
    """The series of a rank, its loss NaN at lines that count NaN steps to the end and log no loss."""
    told, loss = series.get("nan_iterations"), series.get("loss")
    since = counted(told)
    if told is None or since is None:
        return series
    logged = (
        dict(zip(loss.steps, zip(loss.values, loss.lines, strict=True), strict=True))
        if loss
        else {}
    )
    for step, line in zip(told.steps, told.lines, strict=True):
        if step >= since:
            logged.setdefault(step, (math.nan, line))
    steps = tuple(sorted(logged))
    values, lines = zip(*(logged[step] for step in steps), strict=True)
    return {
        **series,
        "loss": replace(loss or told, name="loss", steps=steps, values=values, lines=lines),
    }
