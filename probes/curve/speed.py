"""Whether the run became slower: at once, little by little, or again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import longer
from .numbers import clean, median, spread, windows
from .plan import source_at

CHECK, SYMPTOM, SLOW = "slow-onset", "throughput-drops", "training-slow"
FALLS = ("suddenly", "gradually")
MIN_POINTS, FEW_POINTS = 40, 12
FEW_SIDE, FEW_SLOWER = 5, 0.4  # with few points only a large fall is no chance
FEW_STRETCHES = 4  # of few points: the first and the last quarter are compared
TIMES = ("step_time", "bar_time")  # seconds a step: as logged, and as a progress bar averages
SETTLE = 0.05  # of the run: compilation, warm caches
SLOWER = 0.75  # of the speed before: a quarter is no jitter of a cluster
STRETCH = 0.1  # of the run on each side of a change
WINDOWS = 10
COARSE = 400  # stretches in which a change is looked for
RISING = 0.8
PAUSE = 0.5  # of the usual speed
PAUSES = 4
EVEN = 0.15  # spread of the gaps between pauses
COSTLY = 0.1  # of the whole time
FAULT = 0.3  # of the whole time: no evaluation and no save is meant to cost so much
ROUND, FEWEST, MANY = 5, 10, 50  # steps between saves or evaluations: few are no multiple of five
WAITS = 0.5  # of a pause: what the loader took where it logs its own time
LAST, LAST_SECONDS = 20, 20.0  # times the usual step, and at least so long where it is known
_NEEDS = Text("throughput or step times over more steps", "更多步的吞吐或每步耗时")


def run(look: Look) -> Iterator[Any]:
    found = speeds(look.fact(Curve))
    if found is None:
        yield Skip(_NEEDS, check=CHECK)
        return
    series, steps, values = found
    outcome, at, before, after = _onset(steps, values)

    def falls(a: int, b: int) -> bool:
        return b - a >= FEW_POINTS and _onset(steps[a:b], values[a:b])[0] in FALLS

    if outcome in FALLS and longer.explains(
        look.fact(Curve), series, steps, at, before / after, falls
    ):
        yield Finding(CHECK, "none", source=source_at(look, series, series.steps.index(at)))
        return
    if outcome == "none" and _ends_slow(series, values):
        after, outcome = values[-1], "last-step"
    if series.name == "bar_time" and outcome == "at-intervals":
        outcome = "none"  # a bar goes on counting in an evaluation, and smooths
    value = {
        "step": at,
        "from": before,
        "to": after,
        "share": f"{1 - after / before:.0%}" if before > 0 else "0%",
        "metric": series.name,
        "times": f"{before / after:,.0f}" if after > 0 else "",
    }
    source = source_at(look, series, series.steps.index(at))
    yield Finding(CHECK, outcome, value=value, source=source)
    if outcome == "at-intervals" and _lost(values) >= FAULT:
        planned = _planned(steps, values) and not _waits_for_data(look, series, steps, values)
        if not (planned or _explained(look, series.steps)):
            yield Finding(SLOW, source=source)
    yield (
        Finding(SYMPTOM, "present", value=value, source=source)
        if outcome in FALLS
        else Finding(SYMPTOM, "absent", source=source)
    )


def speeds(curve: Curve) -> tuple[Series, list[int], list[float]] | None:
    """(series, steps, speed) of the settled run; higher is faster. None where too little is there."""
    for name in ("tokens_per_s", "samples_per_s", *TIMES):
        series = curve.series.get(name)
        if series is None:
            continue
        steps, values, _ = clean(series)
        kept = [(s, v) for s, v in zip(steps, values, strict=True) if v > 0]
        kept = kept[round(SETTLE * len(kept)) :]
        if len(kept) < FEW_POINTS:
            continue
        steps = [s for s, _ in kept]
        speed = [1 / v if name in TIMES else v for _, v in kept]
        return series, steps, longer.per_sample(curve, steps, speed) if name in TIMES else speed
    return None


def _onset(steps: Sequence[int], values: Sequence[float]) -> tuple[str, int, float, float]:
    """(outcome, step, speed before, speed after)."""
    usual = median(values)
    if len(values) < MIN_POINTS:
        if _sinks(values):
            side = len(values) // FEW_STRETCHES
            return "gradually", steps[-1], median(values[:side]), median(values[-side:])
        fall = _fall(values)
        return (
            ("suddenly", steps[fall[0]], *fall[1:]) if fall else ("none", steps[-1], usual, usual)
        )
    size = max(1, len(values) // COARSE)
    coarse = windows(values, len(values) // size)
    change = _change(coarse)
    levels = windows(values, WINDOWS)
    falls = sum(b < a * 1.005 for a, b in pairwise(levels))
    steady = falls >= RISING * (len(levels) - 1) and levels[-1] < SLOWER * levels[0]
    # By the seconds of a step: equal additions to them are steps of speed that shrink.
    seconds = [1 / level for level in levels]
    if steady and max(b - a for a, b in pairwise(seconds)) < 0.5 * (seconds[-1] - seconds[0]):
        return "gradually", steps[-1], levels[0], levels[-1]
    if change is not None:
        at, before, after = change
        return "suddenly", steps[at * size], before, after
    pause = _pauses(values, usual)
    if pause is not None:
        return "at-intervals", steps[pause], usual, values[pause]
    return "none", steps[-1], usual, usual


def _sinks(values: Sequence[float]) -> bool:
    """Whether, of few points, nearly each took longer than the one before, and none much longer."""
    seconds = [1 / value for value in values]
    rises = [b - a for a, b in pairwise(seconds)]
    side = len(values) // FEW_STRETCHES
    grown = median(seconds[-side:]) - median(seconds[:side])
    steady = sum(rise > 0 for rise in rises) >= RISING * len(rises)
    slower = median(values[-side:]) < FEW_SLOWER * median(values[:side])
    return steady and slower and max(rises) < 0.5 * grown


def _lost(values: Sequence[float]) -> float:
    """Of the whole time, the share that slow points took beyond the usual."""
    usual = median(values)
    lost = sum(1 / v - 1 / usual for v in values if v < PAUSE * usual)
    return lost / sum(1 / v for v in values)


def _planned(steps: Sequence[int], values: Sequence[float]) -> bool:
    """Whether the pauses come every N steps as a setting states it, whatever is logged of them. A
    loader that lags pauses once in as many steps as it has workers: a small number, seldom round."""
    every = round(median([b - a for a, b in pairwise(steps[n] for n in _starts(values))]))
    return every >= MANY or (every >= FEWEST and every % ROUND == 0)


def _waits_for_data(
    look: Look, series: Series, steps: Sequence[int], values: Sequence[float]
) -> bool:
    """Whether the loader's own logged seconds are most of the pauses, where steps have seconds."""
    waited = look.fact(Curve).series.get("data_time")
    if waited is None or series.name not in TIMES:
        return False
    of_step = dict(zip(waited.steps, waited.values, strict=True))
    shares = [of_step[steps[n]] * values[n] for n in _starts(values) if steps[n] in of_step]
    return bool(shares) and median(shares) >= WAITS


def _explained(look: Look, steps: Sequence[int]) -> bool:
    """Whether the run evaluates or saves about as often as it pauses."""
    evaluated = look.fact(Curve).series.get("eval_loss")
    logs = look.fact(LogHits) if look.has(LogHits) else None
    marks = [m for m in logs.marks if m.signature == "serial-work"] if logs else []
    often = max(PAUSES, len(steps) // 50)
    return len(marks) >= often or (evaluated is not None and len(evaluated.steps) >= PAUSES)


def _ends_slow(series: Series, values: Sequence[float]) -> bool:
    """Whether the last step alone took far longer: a wait, a save or an evaluation. A run that
    hangs logs no more, so that no later point could tell whether the speed comes back."""
    slow = values[-1] * LAST <= min(values[:-1])
    return slow and (series.name not in TIMES or 1 / values[-1] >= LAST_SECONDS)


def _change(values: Sequence[float]) -> tuple[int, float, float] | None:
    """The place where the median after falls to three quarters of that before, for good."""
    side = max(10, round(STRETCH * len(values)))
    best: tuple[float, int] | None = None
    for at in range(side, len(values) - side + 1):
        ratio = median(values[at : at + side]) / (median(values[at - side : at]) or 1.0)
        if ratio < SLOWER and (best is None or ratio < best[0]):
            best = (ratio, at)
    if best is None:
        return None
    at = _boundary(values, best[1], side)
    before, after = values[:at], values[at:]
    if len(before) < FEW_SIDE:
        return None  # a few fast rows at the start are no speed that the run had
    slow = median(after) < SLOWER * median(before) and median(after[-side:]) < SLOWER * median(
        before
    )
    # Nearly no point of the slow part is as fast as the usual one before: two levels, not noise.
    apart = sum(v >= median(before) for v in after) <= 0.1 * len(after)
    return (at, median(before), median(after)) if slow and apart else None


def _boundary(values: Sequence[float], near: int, side: int) -> int:
    """Where, within ``side`` points of ``near``, two levels part: a median moves to the other level
    as soon as half of its points lie there, so that it alone tells the place by half a stretch."""
    high, low = median(values[: max(1, near - side)]), median(values[near + side :])
    middle = (high + low) / 2
    # Points on the wrong side of the middle, were the change at its place.
    first = max(1, near - side)
    wrong = best = 0
    at = first
    for n in range(first, min(near + side, len(values) - 1)):
        wrong += -1 if values[n] > middle else 1
        if wrong < best:
            best, at = wrong, n + 1
    return at


def _fall(values: Sequence[float]) -> tuple[int, float, float] | None:
    """Of few points: the place after which nearly none is as fast as any before, for good."""
    sides = range(FEW_SIDE, len(values) - FEW_SIDE + 1)
    at = min(sides, key=lambda n: median(values[n:]) / (median(values[:n]) or 1.0))
    before, after = values[:at], values[at:]
    ends = median(after[-FEW_SIDE:]) < FEW_SLOWER * median(before)
    apart = sum(v >= median(before) for v in after) + sum(v <= median(after) for v in before)
    slow = median(after) < FEW_SLOWER * median(before)
    return (at, median(before), median(after)) if slow and ends and apart <= 1 else None


def _starts(values: Sequence[float]) -> list[int]:
    """Indices of the first slow point of each pause."""
    usual = median(values)
    slow = [n for n, v in enumerate(values) if v < PAUSE * usual]
    return [n for n, before in zip(slow, [-2, *slow], strict=False) if n - 1 != before]


def _pauses(values: Sequence[float], usual: float) -> int | None:
    """Index of the first of several slow points at even distances that cost a tenth of the time."""
    slow = [n for n, v in enumerate(values) if v < PAUSE * usual]
    starts = _starts(values)
    if len(starts) < PAUSES:
        return None
    gaps = [b - a for a, b in pairwise(starts)]
    lost = sum(1 / values[n] - 1 / usual for n in slow)
    even = spread(gaps) <= EVEN * median(gaps) and min(gaps) > 0.5 * median(gaps)
    return starts[0] if even and lost >= COSTLY * sum(1 / v for v in values) else None


PROBE = Probe(
    name="curve-speed",
    title=Text("speed over the steps", "速度变化"),
    tells=(CHECK, SYMPTOM, SLOW),
    needs=(Curve,),
    wants=(LogHits,),
    reliability="heuristic",
    seconds=0.1,
    run=run,
)
