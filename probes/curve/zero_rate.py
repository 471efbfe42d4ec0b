"""A learning rate that is logged as 0 at every step: nothing is learned, or few digits are shown."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Skip
from medic.text.patterns import regex

from . import needs
from .numbers import clean, median
from .plan import source_at

SHAPE, SYMPTOM = "learning-rate-shape", "learning-rate-never-rises"
# Warmup begins at 0, and a loss scale that is still sought skips its first dozen steps.
MIN_POINTS = 20
FALLS = 0.02  # of the level: a loss that falls by more is of weights that change
_DIGITS = Text(
    "the learning rate with more digits: it is logged as 0 while the loss falls",
    "位数更多的学习率：日志记为 0，而 loss 在下降",
)
_FEW_DIGITS = Text(
    "the learning rate with more digits: it is logged as 0.000, which any rate below 5e-4 is",
    "位数更多的学习率：日志只写到 0.000，任何小于 5e-4 的学习率都会如此",
)
# A fixed number of decimals, as few as no learning rate of a language model needs.
_ROUNDED = regex(r"\b(?:lr|learning_rate)\W{1,4}0\.0{2,4}(?![\de])")


def judge(look: Look, curve: Curve, series: Series) -> Iterator[Finding | Skip]:
    """The shape and its symptom; nothing of a run that has hardly begun."""
    steps, values, _ = clean(series)
    if len(values) < MIN_POINTS:
        yield Skip(needs.RATE_ABOVE_ZERO.fill(n=MIN_POINTS), check=SHAPE)
        return
    if _falls(curve.series.get("loss")):
        yield Skip(_DIGITS, check=SHAPE)
        return
    value = {"first": steps[0], "step": steps[-1], "max": 0.0}
    source = source_at(look, series, series.steps.index(steps[-1]))
    if _ROUNDED.search(source.text):
        yield Skip(_FEW_DIGITS, check=SHAPE)
        return
    yield Finding(SHAPE, "zero-throughout", value=value, source=source)
    yield Finding(SYMPTOM, value=value, source=source)


def _falls(loss: Series | None) -> bool:
    _, values, _ = clean(loss) if loss is not None else ([], [], [])
    size = max(1, len(values) // 10)
    begin, end = median(values[:size]), median(values[-size:])
    return end < begin - FALLS * abs(begin)
