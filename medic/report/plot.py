"""A line of points as braille characters: two by four dots in a column of text."""

from __future__ import annotations

import math
from collections.abc import Sequence

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
EMPTY = 0x2800
LABEL = 9  # columns left of the plot


def plot(
    steps: Sequence[int], values: Sequence[float], width: int, height: int, *, log: bool = False
) -> list[str]:
    """Rows of ``width`` columns in all, with a scale at the left; not-a-number leaves a gap.

    Each column of dots shows the range of its values, so that a single spike is not lost.
    """
    finite = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not finite or len(steps) != len(values):
        return []
    columns = max(8, width - LABEL)
    low, high = _range(finite)
    scale = _Scale(low, high, height * 4, log)
    cells = [[EMPTY] * columns for _ in range(height)]
    first, span = steps[0], max(1, steps[-1] - steps[0])
    previous: tuple[int, int] | None = None
    for step, value in zip(steps, values, strict=True):
        if not math.isfinite(value) or (log and value <= 0):
            previous = None
            continue
        x = min(2 * columns - 1, round((step - first) * (2 * columns - 1) / span))
        y = scale.row(value)
        for at, row in _between(previous, (x, y)):
            cells[row // 4][at // 2] |= DOTS[at % 2][row % 4]
        previous = (x, y)
    labels = {0: high, height - 1: low, height // 2: scale.middle(height // 2 * 4)}
    rows = []
    for n, line in enumerate(cells):
        label = number(labels[n]) if n in labels else ""
        rows.append(f"{label:>{LABEL - 2}} ┤" + "".join(map(chr, line)).rstrip(chr(EMPTY)))
    return rows


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if high == low:
        margin = abs(high) * 0.1 or 1.0
        return low - margin, high + margin
    return low, high


class _Scale:
    """Value -> row of dots from the top."""

    def __init__(self, low: float, high: float, dots: int, log: bool) -> None:
        self._log = log and low > 0
        self._low, self._high = self._of(low), self._of(high)
        self._dots = dots

    def _of(self, value: float) -> float:
        return math.log10(value) if self._log else value

    def row(self, value: float) -> int:
        share = (self._of(value) - self._low) / (self._high - self._low or 1.0)
        return self._dots - 1 - round(max(0.0, min(1.0, share)) * (self._dots - 1))

    def middle(self, row: int) -> float:
        value = self._high - (self._high - self._low) * row / (self._dots - 1)
        return float(10**value) if self._log else value


def _between(before: tuple[int, int] | None, now: tuple[int, int]) -> list[tuple[int, int]]:
    """The dots from the last point to this one, in a straight line."""
    if before is None:
        return [now]
    (x0, y0), (x1, y1) = before, now
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    return [
        (x0 + round((x1 - x0) * n / steps), y0 + round((y1 - y0) * n / steps))
        for n in range(1, steps + 1)
    ]


def number(value: float) -> str:
    """At most 7 columns."""
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e6:
        plain = f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
        if len(plain) <= LABEL - 2:
            return plain
    short = f"{value:.1e}"
    return short if len(short) <= LABEL - 2 else f"{value:.0e}"


def axis(first: int, last: int, width: int) -> str:
    """The line below a plot, with the first and the last step."""
    columns = max(8, width - LABEL)
    ends = f"{first:,}", f"{last:,}"
    gap = max(1, columns - len(ends[0]) - len(ends[1]))
    return " " * LABEL + ends[0] + " " * gap + ends[1]


def marks(steps: Sequence[tuple[int, str]], first: int, last: int, width: int) -> list[str]:
    """A line of pointers (1, 2, …, 9, *) under the axis, and what each one means."""
    columns = max(8, width - LABEL)
    line = [" "] * columns
    legend = []
    span = max(1, last - first)
    for n, (step, words) in enumerate(steps, 1):
        sign = str(n) if n <= 9 else "*"
        at = min(columns - 1, max(0, round((step - first) * (columns - 1) / span)))
        line[at] = sign if line[at] == " " else "*"
        legend.append(f"{sign} {step:,}: {words}")
    pointers = (" " * LABEL + "".join(line)).rstrip()
    return [pointers, *legend] if legend else []
