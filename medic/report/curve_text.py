"""Curves drawn for a terminal, with the events that the probes saw."""

from __future__ import annotations

import math
from collections.abc import Sequence

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.report import plot
from medic.text.safetext import one_line

WIDTH = 78  # the probe indents by two
HEIGHT = 10
SMALL = 4
MOST_MARKS = 9
DRAWN = ("loss", "eval_loss", "learning_rate", "grad_norm", "tokens_per_s", "step_time")
_TALL = frozenset({"loss"})
_LOG_RATIO = 50.0  # beyond it a linear scale hides all but the top


def lines(curve: Curve, events: Sequence[tuple[int, str]], width: int = WIDTH) -> list[str]:
    """The loss in full, other metrics small; the marks stand under the first drawing."""
    rows: list[str] = []
    marked = False
    for name in DRAWN:
        series = curve.series.get(name)
        if series is None or len(series.steps) < 2:
            continue
        rows += _drawn(name, series, width)
        if not marked:
            first, last = series.steps[0], series.steps[-1]
            known = sorted({e for e in events if first <= e[0] <= last})[:MOST_MARKS]
            rows += plot.marks(known, first, last, width)
            marked = True
        rows.append("")
    rows += [
        f"{name}: {len(s.steps):,} {Text('points, ', '个点，')}{one_line(s.file)}"
        for name, s in curve.series.items()
    ]
    return rows


def _drawn(name: str, series: Series, width: int) -> list[str]:
    finite = [v for v in series.values if math.isfinite(v)]
    odd = len(series.values) - len(finite)
    head = f"{name}"
    if finite:
        shown = [plot.number(v) for v in (series.values[0], series.values[-1], min(finite))]
        words = Text("first {a}, last {b}, lowest {c}", "首个 {a}，末个 {b}，最低 {c}")
        head += f": {words.fill(a=shown[0], b=shown[1], c=shown[2])}"
    if odd:
        head += f", {odd:,} NaN/Inf"
    height = HEIGHT if name in _TALL else SMALL
    log = bool(finite) and min(finite) > 0 and max(finite) > _LOG_RATIO * min(finite)
    if log:
        head += str(Text(" (log scale)", "（对数刻度）"))
    body = plot.plot(series.steps, series.values, width, height, log=log)
    if not body:
        return [head]
    return [head, *body, plot.axis(series.steps[0], series.steps[-1], width)]
