"""Jumps of the loss, and what went before them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from medic.facts import Curve, Series, Source
from medic.probe import Finding, Look, Skip, config_of
from medic.records import dataclass, replace

from . import needs
from .numbers import finite, median, nearest_before, spread
from .plan import source_at
from .rate_leaps import is_lost, is_up

HISTORY = 50
NOISE = 6.0  # deviations that noise does not reach: of a normal one once in 5e8 points
MAD_TO_SIGMA = 1.4826  # the standard deviation of normal noise by its median absolute deviation
LEAST = 0.3  # nats: below it a ratio of small losses means nothing
SAMPLED = 5_000  # points from all over a long curve tell its noise
# Above 3 a first loss is that of an untrained model, about ln(vocabulary): no guess is worse than
# that, so 30% above it is no noise, however restless the rest of the curve is.
UNTRAINED, ABOVE_START = 3.0, 1.3
NEAR_PEAK = 0.8
GROWTH_STEPS = 6
HIGH, MANY = 2.0, 3  # times its level; jumps that all come back
# Times its level: from 2 nats, where language models come to, that is ln(22,000), as if nothing had
# been learned; no batch is that much harder than the others.
EXPLODED = 5.0
SETTLED, HEALED = 10, 5  # losses before a jump; times its length behind it
GOOD = 50  # losses behind it, as many as it has steps to come back
SINGLE = 3
RELEARNED = 10  # losses until it is back from the height of the first ones: no batch does that
# Points of a stretch, and the share of its height that each of them has: a spike of the optimizer
# decays, and only what was read ends as suddenly as it began.
STRETCH, EVEN = 8, 0.5
# Of the residues' spread, 1.18 times the noise's on a flat curve (white noise, simulated): so widened
# it is the smaller one only where a fall makes the plain spread wide, in 2% of flat stretches.
RESIDUES = 1.2


@dataclass(frozen=True)
class Jump:
    """One rise of the loss above its level; ``recovers`` if it is back within the 50 steps."""

    index: int
    step: int
    before: float
    top: float
    length: int  # points above the limit
    recovers: bool
    after: int  # points behind it
    last: float = 0.0  # the loss right before it, as logged
    last_step: int = 0
    top_step: int = 0
    climb: int = 1  # points until it has made half its way
    half: float = 0.0  # the loss there
    half_step: int = 0
    is_stretch: bool = False  # it stays at its height, and ends at once
    is_unlearned: bool = False  # at the height of a model that knows nothing, and learned anew

    @property
    def is_over(self) -> bool:
        """Whether there was a level before it, and far more good losses came than bad ones."""
        return self.index >= SETTLED and self.after >= max(GOOD, HEALED * self.length)

    @property
    def ratio(self) -> float:
        return self.top / self.before if self.before > 0 else 1.0


def jumps(look: Look, steps: Sequence[int], values: Sequence[float]) -> list[Jump]:
    """Jumps in order; points within one jump belong to it."""
    ratio = look.threshold("jump-ratio")
    window = look.threshold("recovers-steps")
    usual = 0.0
    found: list[Jump] = []
    i = 2
    while i < len(values):
        history = values[max(0, i - HISTORY) : i]
        lowest = min(history)
        if values[i] <= max(ratio * lowest, lowest + LEAST):
            i += 1  # the level is at least the lowest, so that this is no jump: seen at once
            continue
        # On a falling curve the last fifty stand above today's level; the last ten do not.
        level = min(median(history), median(history[-10:]))
        noise = min(spread(history), RESIDUES * _local(history))
        limit = max(ratio * level, level + LEAST, level + NOISE * noise)
        first = values[: min(i, 3)]
        if min(first) < UNTRAINED or values[i] <= ABOVE_START * max(first):
            usual = usual or math.exp(NOISE * relative_noise(values))
            limit = max(limit, usual * level)
        if values[i] <= limit:
            i += 1
            continue
        end = i
        while end + 1 < len(values) and values[end + 1] > level + 0.5 * (limit - level):
            end += 1
        back = end + 1 < len(values) and steps[end + 1] - steps[i] <= window
        peak = max(range(i, end + 1), key=values.__getitem__)
        length, behind = end - i + 1, len(values) - end - 1
        half = (values[i - 1] + values[peak]) / 2
        up = next(n for n in range(i, peak + 1) if values[n] >= half)
        told = values[i - 1], steps[i - 1], steps[peak], up - i + 1, values[up], steps[up]
        stays = back and _stays(values[i - 1], values[i : end + 1], level)
        start = median(values[: min(i, 3)])
        anew = back and length >= RELEARNED and UNTRAINED <= start <= values[peak]
        one = Jump(i, steps[i], level, values[peak], length, back, behind, *told, stays, anew)
        found.append(one)
        i = end + 1
    return found


def _stays(last: float, stretch: Sequence[float], level: float) -> bool:
    """Whether the loss is at the height of the stretch at once, and to its end."""
    least = level + EVEN * (median(stretch) - level)
    return len(stretch) >= STRETCH and last <= least <= min(stretch)


def _local(history: Sequence[float]) -> float:
    """The spread around the five losses before: of a falling curve without its fall."""
    rest = [v - median(history[max(0, i - 5) : i]) for i, v in enumerate(history) if i]
    return spread(rest)


def unclipped(look: Look) -> bool:
    """Whether the configuration says that gradients are not clipped."""
    return config_of(look).number("gradient_clip") == 0


def troubling(found: Sequence[Jump], *, loose: bool = False) -> list[Jump]:
    """The jumps that need action: those that do not come back, or that recur and are high or many.
    A single one that is back within the 50 steps needs none, unless it is high and training had
    hardly begun, or has not gone on well for long since, or stayed there for a stretch of the data.
    Where gradients are not clipped (``loose``), one that multiplies the loss needs clipping, whatever came after it."""
    lasting = [j for j in found if not j.recovers or j.is_unlearned]
    exploded = [j for j in found if j.ratio >= EXPLODED] if loose else []
    if exploded and not lasting:
        return exploded
    if lasting or len(found) >= MANY:
        return lasting or list(found)
    high = [j for j in found if j.ratio >= HIGH]
    stretches = [j for j in found if j.is_stretch]
    return high if len(found) > 1 else stretches or [j for j in high if not j.is_over]


def relative_noise(values: Sequence[float]) -> float:
    """Standard deviation of ln(value / median of the five before), over the whole curve.

    The first points alone may lie close by chance; small batches are far noisier than large ones.
    """
    ratios = []
    for i in range(1, len(values), max(1, len(values) // SAMPLED)):
        level = median(values[max(0, i - 5) : i])
        if level > 0 and values[i] > 0:
            ratios.append(math.log(values[i] / level))
    return MAD_TO_SIGMA * spread(ratios) if len(ratios) > 1 else 0.0


def timing(look: Look, curve: Curve, loss: Series, found: Sequence[Jump]) -> Finding | Skip:
    """When the worst jump came: at a high learning rate, after the gradients grew, or alone. What
    rises over many points came neither alone nor at once."""
    if not found:
        return Finding("loss-jump-timing", "none")
    bad = troubling(found, loose=unclipped(look))
    worst = max(bad or found, key=lambda j: j.ratio)
    over = worst.ratio >= HIGH and not bad
    when = "recovered" if over else _when(curve, worst)
    if when == "single-step":  # what came at once, which is not all where it went on rising
        worst = replace(worst, top=worst.half, top_step=worst.half_step)
    value, source, more = told_of(look, loss, worst)
    if when is None:
        return Skip(needs.SUDDEN, check="loss-jump-timing")
    return Finding("loss-jump-timing", when, value=value, source=source, more=more)


def told_of(
    look: Look, loss: Series, jump: Jump
) -> tuple[dict[str, Any], Source, tuple[Source, ...]]:
    """A jump in the numbers of its own lines: the loss right before it and the highest."""
    value = {"step": jump.step, "from": jump.last, "to": jump.top}
    value |= {"from_step": int(jump.last_step), "top_step": jump.top_step}
    at = [source_at(look, loss, loss.steps.index(s)) for s in (jump.last_step, jump.top_step)]
    return value, at[0], (at[1],)


def _when(curve: Curve, jump: Jump) -> str | None:
    if _gradients_grew(curve.series.get("grad_norm"), jump.step):
        return (
            "with-gradient-growth" if not _rate_high(curve, jump.step) else "at-high-learning-rate"
        )
    if _rate_leaps(curve.series.get("learning_rate"), jump):
        return None  # another schedule from that row on
    if jump.length <= SINGLE and jump.recovers:
        return "single-step"
    if _rate_high(curve, jump.step):
        return "at-high-learning-rate"
    # Other weights from that row on are no sample's doing.
    return "single-step" if jump.climb <= SINGLE and not jump.is_unlearned else None


def _rate_high(curve: Curve, step: int) -> bool:
    rate = curve.series.get("learning_rate")
    at = nearest_before(rate, step)
    return rate is not None and at is not None and at >= NEAR_PEAK * max(finite(rate.values))


def _rate_leaps(rate: Series | None, jump: Jump) -> bool:
    """Whether the rate between the row before a jump and the jump is set anew."""
    before, at = nearest_before(rate, jump.last_step), nearest_before(rate, jump.step)
    if rate is None or before is None or at is None or before <= 0:
        return False
    after = [v for s, v in zip(rate.steps, rate.values, strict=True) if s >= jump.step]
    return is_up(before, at) or is_lost(before, [at, *after])


def _gradients_grew(norm: Series | None, step: int) -> bool:
    """The norms just before the jump stand at three times their usual level."""
    if norm is None:
        return False
    before = [v for s, v in zip(norm.steps, norm.values, strict=True) if s < step]
    recent, usual = before[-GROWTH_STEPS:], before[:-GROWTH_STEPS][-200:]
    if len(finite(usual)) < GROWTH_STEPS:
        return len(recent) >= 2 and recent[-1] > 3 * recent[0]
    return max(finite(recent), default=0.0) >= 3 * median(usual)
