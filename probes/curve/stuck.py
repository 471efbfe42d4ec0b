"""At which height a loss stays, and whether the weights change meanwhile."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Curve, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Skip, config_of

from .numbers import clean, median, typical
from .plan import source_at

LEVEL, TREND = "plateau-level", "gradient-norm-trend"
VANISHES = "gradient-vanishes"
CHECKS = (LEVEL, TREND, VANISHES)
GUESSING = 0.03  # nats from ln(vocabulary): what a uniform guess costs
ABOVE_FLOOR = 0.35  # nats above the floor of a softmax of a softmax: what wrong guesses add
MIN_NORMS = 15
MOVES = 1.2
LEARNS = 0.8  # of the first loss: no weights that stand still come to it
ZERO = 0.9  # of the norms: the rest may be of a warmup, or of a single batch
SIGMAS, SAMPLED = 3.5, 200
_VOCABULARY = Text("the vocabulary size", "词表大小")
_NORMS = Text("gradient norms of {n} steps from there on", "从那一步起至少 {n} 步的梯度范数").fill(
    n=MIN_NORMS
)


def level(look: Look, loss: float, first: float, source: Source) -> Iterator[Finding | Skip]:
    """Whether a loss (nats a token) that stays is what guessing gives."""
    vocabulary, floor = _vocabulary(look), softmax_floor(look)
    if vocabulary is None or floor is None:
        yield Skip(_VOCABULARY, check=LEVEL)
        return
    guess = math.log(vocabulary)
    value = {"loss": loss, "guess": guess, "vocabulary": vocabulary, "first": first}
    outcome = _height(loss - guess, first - guess)
    if floor - GUESSING <= loss < floor + ABOVE_FLOOR:
        outcome, value = "softmax-floor", value | {"floor": floor}
    yield Finding(LEVEL, outcome, value=value, source=source)


def _height(level: float, first: float) -> str:
    """The outcome for nats above a guess: where the loss stays, and where it was at first."""
    if abs(level) <= GUESSING:
        return "falls-to-guessing" if first > level + 2 * GUESSING else "at-guessing"
    return "at-start" if level > 2 * GUESSING and abs(first - level) <= GUESSING else "elsewhere"


def _vocabulary(look: Look) -> int | None:
    config = config_of(look)
    size = config.integer("vocab_size")
    return size if size is not None and size >= 2 else None


def softmax_floor(look: Look) -> float | None:
    """The loss of a model that is always right, where probabilities are given to a loss that takes
    logits: none is further above the others than by 1, so ln(e + V - 1) - 1."""
    vocabulary = _vocabulary(look)
    return None if vocabulary is None else math.log(math.e + vocabulary - 1) - 1


def vanished(look: Look) -> Iterator[Finding]:
    """Gradient norms that are exactly 0 nearly always. A policy has them without any fault."""
    curve = look.fact(Curve)
    series = curve.series.get("grad_norm")
    values = clean(series)[1] if series is not None else []
    zero = sum(v == 0 for v in values)
    if series is None or len(values) < MIN_NORMS or "reward" in curve.series:
        return
    if zero >= ZERO * len(values) and not _learns(curve):
        source = source_at(look, series, len(series.steps) - 1)
        value = {"count": zero, "of": len(values)}
        yield Finding(TREND, "zero", value=value, source=source)
        yield Finding(VANISHES, value=value, source=source)


def _learns(curve: Curve) -> bool:
    """Whether the loss falls far: then the norm was taken where the gradients were cleared."""
    series = curve.series.get("loss")
    values = clean(series)[1] if series is not None else []
    if len(values) < MIN_NORMS:
        return False
    fifth = len(values) // 5
    begin, end = median(values[:fifth]), median(values[-fifth:])
    return end < LEARNS * begin and trend(values) < -SIGMAS


def norms(look: Look, first: int) -> Iterator[Finding | Skip]:
    """Whether the gradient norm changes from step ``first`` on: weights that are never changed
    leave it to the noise of the batches."""
    series = look.fact(Curve).series.get("grad_norm")
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    if any(vanished(look)):
        return  # told already
    at = [s for s, v in zip(steps, values, strict=True) if s >= first and v > 0]
    own = [v for s, v in zip(steps, values, strict=True) if s >= first and v > 0]
    if series is None or len(own) < MIN_NORMS:
        yield Skip(_NORMS, check=TREND)
        return
    fifth = len(own) // 5
    begin, end = median(own[:fifth]), median(own[-fifth:])
    moved = max(begin, end) > MOVES * min(begin, end) and abs(trend(own)) > SIGMAS
    one, other = typical(own[:fifth]), len(own) - fifth + typical(own[-fifth:], late=True)
    value = {"first": own[one], "first_step": int(at[one]), "last": own[other], "step": at[other]}
    from_, to = (source_at(look, series, series.steps.index(at[n])) for n in (one, other))
    outcome = "moves" if moved else "level"
    yield Finding(TREND, outcome, value=value, source=to, more=(from_,))


def trend(values: Sequence[float]) -> float:
    """Kendall's rank test against time, in standard deviations: above zero for values that rise.
    Values without a trend, whatever their distribution, stay within that of SIGMAS in all but one of two thousand."""
    some = values[:: max(1, len(values) // SAMPLED)]
    count = len(some)
    pairs = sum((b > a) - (b < a) for n, a in enumerate(some) for b in some[n + 1 :])
    return pairs / math.sqrt(count * (count - 1) * (2 * count + 5) / 18) if count > 1 else 0.0
