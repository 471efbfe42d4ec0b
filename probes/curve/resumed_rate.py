"""Whether the learning rate starts again after a restart: numbers of the log, against each other."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from .numbers import nearest_before
from .plan import source_at

CHECK, RATE, AGAIN = "resume-difference", "learning-rate-not-as-set", "rate-after-resume"
MIN_POINTS = 3
SAME = 1e-3  # of the rate: what logs round away
RATE_LOST = 0.3


def run(look: Look) -> Iterator[Finding]:
    curve = look.fact(Curve)
    rate = curve.series.get("learning_rate")
    old = next((s for s in reversed(curve.replaced) if rate_lost(curve, s)), None)
    if rate is None or old is None:
        return
    at = next(n for n, step in enumerate(rate.steps) if step >= old.steps[0])
    value = {"step": rate.steps[at], "before": nearest_before(rate, old.steps[0] - 1),
             "after": rate.values[at]}  # fmt: skip
    source = source_at(look, rate, at)
    yield Finding(CHECK, "rate-restarts", value=value, source=source)
    yield Finding(RATE, value=value, source=source)
    if _as_at_the_start(rate, at):
        yield Finding(AGAIN, "as-at-the-start", value=value, source=source)


def _as_at_the_start(rate: Series, at: int) -> bool:
    """Whether the rates after the restart are those of the run's first steps, one by one, though
    these are not all the same."""
    begun = rate.steps[at] - 1
    first = dict(zip(rate.steps[:at], rate.values[:at], strict=True))
    pairs = [
        (first[step - begun], value)
        for step, value in zip(rate.steps[at:], rate.values[at:], strict=True)
        if step - begun in first
    ]
    alike = all(abs(a - b) <= SAME * max(abs(a), abs(b)) for a, b in pairs)
    return len(pairs) >= MIN_POINTS and len({a for a, _ in pairs}) > 1 and alike


def rate_lost(curve: Curve, old: Series) -> bool:
    """The learning rate at the resume is far below that of the step before, and rises again."""
    rate, at = curve.series.get("learning_rate"), old.steps[0]
    if rate is None:
        return False
    before = nearest_before(rate, at - 1)
    after = [v for s, v in zip(rate.steps, rate.values, strict=True) if s >= at][: len(old.steps)]
    if before is None or len(after) < MIN_POINTS or before <= 0:
        return False
    return after[0] < RATE_LOST * before and max(after) > 1.5 * after[0]


PROBE = Probe(
    name="curve-resumed-rate",
    title=Text("the learning rate after the restart", "重启后的学习率"),
    tells=(CHECK, RATE, AGAIN),
    needs=(Curve,),
    seconds=0.01,
    run=run,
)
