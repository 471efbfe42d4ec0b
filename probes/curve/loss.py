"""What the loss curve shows: jumps, divergence, a plateau, swings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.records import dataclass, replace
from medic.run_config import RunConfig

from . import constant, needs, rises, stuck
from .jumps import Jump, jumps, relative_noise, timing, told_of, troubling, unclipped
from .leaps import with_norms
from .numbers import chance, clean, median, typical, windows
from .plan import Plan, plan_of, source_at
from .resume_points import starts
from .rewarded import is_policy, is_rewarded

MIN_POINTS = 10
# Cross entropy of a model that has learned nothing yet is ln(vocabulary), 6 to 12; a fine-tune
# starts below 3 and may rightly stay near its start.
UNTRAINED_LOSS = 3.0
FALLS_AT_LEAST = 0.02  # of the starting loss, in the steps after warmup
MIN_STEPS = 50
FEWEST = 3  # losses whose median is a level
LATE_START = 0.1  # of the planned steps
FLAT_SHARE = 0.02
NEW_MODEL = 5.0  # nats: that of a vocabulary of 150 and more; a few classes have no fifth to lose
# Of the loss at the begin, and steps. The frequencies of single bytes alone take 40% off ln(256) in
# English text, those of words more; healthy recorded runs (tests/lab) lost a fifth by step 20 to 100.
SLOW_SHARE, SLOW_STEPS = 0.2, 250
SETTLING = 2  # times the warmup: of the steps until then half had the full rate
DIVERGED = 1.2
SWING = 1.5
SWINGS = 5
WINDOWS = 20
SMOOTH = 8  # points of a stretch whose median is no longer batch noise
STILL = 0.03  # nats between two fifths of a run: less is no fall
UNEVEN = 0.2  # nats between a uniform guess and that of small random weights
CALM_SHARE = 0.2  # of the run: at its floor for so long, the loss must still fall, or it is flat


@dataclass(frozen=True)
class Shape:
    """The finite loss with its rate and plan."""

    series: Series
    steps: list[int]
    values: list[float]
    plan: Plan
    rate: Series | None

    @cached_property
    def noise(self) -> float:
        return relative_noise(self.values)


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    loss = curve.series.get("loss")
    if loss is None:
        yield Skip(needs.LOSS, check="loss-jump-timing")
        return
    steps, values, _ = clean(loss)
    if len(values) < MIN_POINTS:
        yield from _few(look, curve, loss)
        yield Skip(needs.LOSSES, check="loss-jump-timing")
        return
    if is_policy(curve, config_of(look)):
        yield Skip(needs.LOSS, check="loss-jump-timing")
        yield from stuck.vanished(look)
        return
    shape = Shape(loss, steps, values, plan_of(look, curve), curve.series.get("learning_rate"))
    found, since = _without_starts(look, loss, steps, jumps(look, steps, values))
    yield from _spike(look, shape, found)
    yield timing(look, curve, loss, found)
    later = replace(shape, steps=steps[since:], values=values[since:]) if since else shape
    yield from _divergence(look, later, found)
    if not is_rewarded(curve, config_of(look)):
        yield from _plateau(look, shape)
    yield from stuck.vanished(look)
    yield from _swings(look, shape)


def _few(look: Look, curve: Curve, loss: Series) -> Iterator[Finding]:
    """Of hardly any losses only a rise far above the first ones can be told."""
    steps, values, _ = clean(loss)
    if rises.above_start(values) and not is_rewarded(curve, config_of(look)):
        shape = Shape(loss, steps, values, plan_of(look, curve), None)
        yield from _divergence(look, shape, [])


def _without_starts(
    look: Look, loss: Series, steps: list[int], found: list[Jump]
) -> tuple[list[Jump], int]:
    """The jumps that no start from a checkpoint explains (curve-resume-point tells those), and the
    index of the last such start that the loss jumped at, else 0."""
    if not found:
        return found, 0
    begun = {
        s.after[0].step for s in starts(look) if s.here and s.after[0].source.file == loss.file
    }
    explained = [j for j in found if {j.step, steps[j.index - 1]} & begun]
    kept = [j for j in found if j not in explained]
    return kept, max((j.index for j in explained), default=0)


def _at(look: Look, shape: Shape, step: int) -> Any:
    return source_at(look, shape.series, shape.series.steps.index(step))


def _spike(look: Look, shape: Shape, found: list[Jump]) -> Iterator[Finding]:
    """A jump that comes back within 50 steps needs no action, unless they recur."""
    bad = troubling(found, loose=unclipped(look))
    bad = bad or with_norms(look, shape.steps, shape.values)
    if not bad:
        yield Finding("loss-spike", "absent")
        return
    worst = max(bad, key=lambda j: j.ratio)
    value, source, more = told_of(look, shape.series, worst)
    yield Finding(
        "loss-spike", value=value | {"count": max(len(found), len(bad))}, source=source, more=more
    )


def _divergence(look: Look, shape: Shape, found: list[Jump]) -> Iterator[Finding]:
    """The last tenth stands far above the lowest level, and is not on its way back."""
    far = rises.above_start(shape.values)
    if len(shape.values) < MIN_POINTS and not far:
        return
    levels = windows(shape.values, WINDOWS)
    low = min(levels)
    last = max(3, len(shape.values) // 10)
    end = median(shape.values[-last:])
    least = chance(shape.noise, max(1, len(shape.values) // WINDOWS), last)
    risen = end > max(DIVERGED, least) * low and end > low + 0.3
    returning = len(levels) >= 4 and levels[-1] < 0.97 * max(levels[-4:])
    over = not risen or returning or levels.index(low) >= len(levels) - 2
    if over and not far and not rises.slowly(shape.rate, shape.values, shape.noise):
        yield Finding("loss-diverges", "absent")
        return
    at = shape.values.index(min(shape.values))
    step = found[-1].step if found and not found[-1].recovers else shape.steps[at]
    size = max(1, len(shape.values) // WINDOWS)
    lowest = levels.index(low) * size
    one = lowest + typical(shape.values[lowest : lowest + size])
    other = len(shape.values) - last + typical(shape.values[-last:], late=True)
    value = {"step": step, "from": shape.values[one], "to": shape.values[other]}
    value |= {"from_step": int(shape.steps[one]), "to_step": shape.steps[other]}
    source, more = (_at(look, shape, shape.steps[n]) for n in (one, other))
    yield Finding("loss-diverges", value=value, source=source, more=(more,))


def _plateau(look: Look, shape: Shape) -> Iterator[Finding | Skip]:
    found = constant.level(shape.series) or _never_fell(shape) or _stays_at_guess(look, shape)
    stays = found or _flat_after_floor(shape) or _at_softmax_floor(look, shape)
    flat = stays or _hardly_fell(shape)
    if flat is None:
        yield Finding("loss-plateau", "absent")
        return
    step, level = flat
    late = max(0, len(shape.values) - max(FEWEST, len(shape.values) // 20))
    end = late + typical(shape.values[late:], late=True)
    value = {"from_step": int(step), "level": shape.values[end], "step": step}
    value |= {"first": shape.values[shape.steps.index(step)], "last_step": shape.steps[end]}
    source, more = (_at(look, shape, s) for s in (step, shape.steps[end]))
    yield Finding("loss-plateau", value=value, source=source, more=(more,))
    if stays is None:
        return  # it falls, if hardly: it has no level yet
    yield from stuck.level(look, level, median(shape.values[:3]), _at(look, shape, step))
    yield from stuck.norms(look, step)


def _never_fell(shape: Shape) -> tuple[int, float] | None:
    """The loss is where it began, at the level of an untrained model, though training is past
    its warmup or at its planned end."""
    values = shape.values
    if shape.plan.resumed or shape.steps[0] > LATE_START * shape.plan.length:
        return None  # its first loss is not that of a model that has learned nothing
    start = median(values[: max(3, len(values) // 20)])
    end = median(values[-max(3, len(values) // 5) :])
    if start < UNTRAINED_LOSS or end < start * (1 - FALLS_AT_LEAST) - 0.02:
        return None
    if end > start * DIVERGED or shape.steps[-1] - shape.steps[0] < MIN_STEPS:
        return None
    warming = shape.plan.warmup is not None and shape.steps[-1] <= 1.5 * shape.plan.warmup
    if warming and not shape.plan.complete:
        return None
    return shape.steps[0], end


def _hardly_fell(shape: Shape) -> tuple[int, float] | None:
    """Hundreds of steps after it has settled a new model is still near the loss that it began with.

    What it learns first, the frequencies of the tokens, takes a fifth off within a hundred.
    """
    steps, values = shape.steps, shape.values
    if shape.plan.resumed or steps[0] > LATE_START * shape.plan.length or not shape.plan.complete:
        return None
    start, end = median(values[:3]), median(values[-max(3, len(values) // 20) :])
    after = steps[-1] - SETTLING * (shape.plan.warmup or 0)
    slow = start * (1 - SLOW_SHARE) < end <= start and after >= SLOW_STEPS
    return (steps[0], end) if slow and start >= NEW_MODEL else None


def _stays_at_guess(look: Look, shape: Shape) -> tuple[int, float] | None:
    """The loss comes down from its first level to that of a guess, and stays there."""
    config = config_of(look)
    vocabulary, half = config.integer("vocab_size"), shape.values[len(shape.values) // 2 :]
    if vocabulary is None or vocabulary < 2 or len(half) < MIN_POINTS or shape.plan.resumed:
        return None
    levels = windows(half, 4)
    near = all(abs(level - math.log(vocabulary)) <= stuck.GUESSING for level in levels)
    far = shape.steps[-1] - shape.steps[0] >= MIN_STEPS
    return (shape.steps[-len(half)], levels[-1]) if near and far else None


def _flat_after_floor(shape: Shape) -> tuple[int, float] | None:
    """Once the learning rate is at its floor, long before the end, the loss stops falling."""
    if shape.rate is None:
        return None
    steps, rates, _ = clean(shape.rate)
    low, peak = min(rates), max(rates)
    if peak <= 0 or low > 0.2 * peak:
        return None
    at_floor = [s for s, r in zip(steps, rates, strict=True) if r <= low + 0.002 * (peak - low)]
    after = [s for s in at_floor if s >= steps[rates.index(peak)]]
    if not after or shape.steps[-1] - after[0] < CALM_SHARE * shape.plan.length:
        return None
    if any(r > 0.2 * peak for s, r in zip(steps, rates, strict=True) if s >= after[0]):
        return None  # it rises again: a restart's warmup, or a cycle
    rest = [v for s, v in zip(shape.steps, shape.values, strict=True) if s >= after[0]]
    if len(rest) < MIN_POINTS:
        return None
    fifth = max(2, len(rest) // 5)
    begin, end = median(rest[:fifth]), median(rest[-fifth:])
    if abs(begin - end) > max(FLAT_SHARE * begin, 0.02):
        return None
    first = next(s for s in shape.steps if s >= after[0])
    return first, end


def _at_softmax_floor(look: Look, shape: Shape) -> tuple[int, float] | None:
    """From a guess the loss came down to the least that a softmax of a softmax can give."""
    floor, values = stuck.softmax_floor(look), shape.values
    if floor is None or len(values) < 2 * MIN_POINTS or shape.plan.resumed:
        return None
    fifth = len(values) // 5
    before, end = median(values[-2 * fifth : -fifth]), median(values[-fifth:])
    if values[0] < floor + 1 - UNEVEN or min(values) < floor - STILL or before - end > STILL:
        return None
    return (shape.steps[-2 * fifth], end) if end < floor + stuck.ABOVE_FLOOR else None


def _swings(look: Look, shape: Shape) -> Iterator[Finding]:
    """Smoothed over stretches, the second half still swings by half its level, again and again."""
    if len(shape.values) < 4 * SWINGS * SMOOTH:
        yield Finding("loss-oscillates", "absent")
        return
    levels = windows(shape.values, min(2 * WINDOWS, len(shape.values) // SMOOTH))
    half = levels[len(levels) // 2 :]
    swing = max(SWING, chance(shape.noise, SMOOTH, SMOOTH))
    turns = sum(
        (b - a) * (c - b) < 0 and max(a, b, c) > max(swing * min(a, b, c), min(a, b, c) + 0.3)
        for a, b, c in zip(half, half[1:], half[2:], strict=False)
    )
    if len(half) < 2 * SWINGS or turns < SWINGS or min(half) <= 0:
        yield Finding("loss-oscillates", "absent")
        return
    value = {"low": min(half), "high": max(half), "count": turns, "step": shape.steps[-1]}
    yield Finding("loss-oscillates", value=value, source=_at(look, shape, shape.steps[-1]))


PROBE = Probe(
    name="curve-loss",
    title=Text("the loss curve", "loss 曲线"),
    tells=(
        "loss-spike",
        "loss-diverges",
        "loss-plateau",
        "loss-oscillates",
        "loss-jump-timing",
        *stuck.CHECKS,
    ),
    needs=(Curve,),
    wants=(RunConfig, LogHits),
    reliability="heuristic",
    seconds=0.1,
    run=run,
)
