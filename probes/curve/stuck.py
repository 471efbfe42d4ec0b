"""At which height a loss stays, and whether the weights change meanwhile."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Curve, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Skip
from medic.run_config import RunConfig

from .numbers import clean, median
from .plan import source_at

LEVEL, TREND = "plateau-level", "gradient-norm-trend"
CHECKS = (LEVEL, TREND)
GUESSING = 0.03  # nats from ln(vocabulary): what a uniform guess costs
MIN_NORMS = 15
MOVES = 1.2
SIGMAS, SAMPLED = 3.5, 200
_VOCABULARY = Text("the vocabulary size", "词表大小")
_NORMS = Text("the gradient norm by step", "逐步的梯度范数")


def level(look: Look, loss: float, source: Source) -> Iterator[Finding | Skip]:
    """Whether a loss (nats a token) that stays is what guessing gives."""
    config = look.fact(RunConfig) if look.has(RunConfig) else RunConfig()
    vocabulary = config.integer("vocab_size")
    if vocabulary is None or vocabulary < 2:
        yield Skip(_VOCABULARY, check=LEVEL)
        return
    guess = math.log(vocabulary)
    value = {"loss": loss, "guess": guess, "vocabulary": vocabulary}
    outcome = "at-guessing" if abs(loss - guess) <= GUESSING else "elsewhere"
    yield Finding(LEVEL, outcome, value=value, source=source)


def norms(look: Look, first: int) -> Iterator[Finding | Skip]:
    """Whether the gradient norm changes from step ``first`` on: weights that are never changed
    leave it to the noise of the batches."""
    series = look.fact(Curve).series.get("grad_norm")
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    own = [v for s, v in zip(steps, values, strict=True) if s >= first and v > 0]
    if series is None or len(own) < MIN_NORMS:
        yield Skip(_NORMS, check=TREND)
        return
    fifth = len(own) // 5
    begin, end = median(own[:fifth]), median(own[-fifth:])
    moved = max(begin, end) > MOVES * min(begin, end) and abs(trend(own)) > SIGMAS
    value = {"first": begin, "last": end}
    source = source_at(look, series, len(series.steps) - 1)
    yield Finding(TREND, "moves" if moved else "level", value=value, source=source)


def trend(values: Sequence[float]) -> float:
    """Kendall's rank test against time, in standard deviations: above zero for values that rise.
    Values without a trend, whatever their distribution, stay within that of SIGMAS in all but one of two thousand."""
    some = values[:: max(1, len(values) // SAMPLED)]
    count = len(some)
    pairs = sum((b > a) - (b < a) for n, a in enumerate(some) for b in some[n + 1 :])
    return pairs / math.sqrt(count * (count - 1) * (2 * count + 5) / 18) if count > 1 else 0.0
