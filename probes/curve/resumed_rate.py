"""Whether the learning rate starts again after a restart: numbers of the log, against each other.

The restart is a step that goes back in one file, or a log that begins where an earlier log of the
run had got to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from medic.facts import Curve, LogHits, Series, StepLine
from medic.i18n import Text
from medic.probe import SAYS, Finding, Look, Probe

from . import one_log
from .numbers import nearest_before
from .plan import source_at
from .rate_leaps import LEAPS, LOST, is_lost

CHECK, RATE, AGAIN = "resume-difference", "learning-rate-not-as-set", "rate-after-resume"
NAME = "learning_rate"
MIN_POINTS = 3
JUMPS, NATS = 1.3, 0.5  # times the loss of the row before, and above it: jitter is below 1.2
SAME = 1e-3  # of the rate: what logs round away


def run(look: Look) -> Iterator[Finding]:
    curve = look.fact(Curve) if look.has(Curve) else Curve()
    rate = curve.series.get(NAME)
    old = next((s for s in reversed(curve.replaced) if _restarts(curve, s)), None)
    if rate is None or old is None:
        jumped = list(_with_the_loss(look, curve, rate)) if rate is not None else []
        yield from jumped
        if jumped:
            return
        if look.has(LogHits):
            found = list(_of_two_logs(look.fact(LogHits)))
            yield from found or one_log.judge(look, look.fact(LogHits))
        return
    at = next(n for n, step in enumerate(rate.steps) if step >= old.steps[0])
    value = {"step": rate.steps[at], "before": nearest_before(rate, old.steps[0] - 1),
             "after": rate.values[at]}  # fmt: skip
    source = source_at(look, rate, at)
    yield Finding(CHECK, "rate-restarts", value=value, source=source)
    yield Finding(RATE, value={**value, SAYS: LEAPS}, source=source)
    if _of_series(rate, at):
        yield Finding(AGAIN, "as-at-the-start", value=value, source=source)


def _with_the_loss(look: Look, curve: Curve, rate: Series) -> Iterator[Finding]:
    """The rate is lost, and warmed up anew, in the very row where the loss jumps: a restart without
    the state of its schedule, whose steps go on. A new schedule alone moves no loss
    at once; a new stage with its own schedule may look so, so that it is no proof of a resume."""
    loss = curve.series.get("loss")
    if loss is None:
        return
    before = dict(zip(loss.steps[1:], pairwise(loss.values), strict=False))
    for at in range(1, len(rate.steps)):
        last, jump = rate.values[at - 1], before.get(rate.steps[at])
        if jump is None or last <= 0 or rate.values[at] >= LOST * last:
            continue
        if jump[1] > max(JUMPS * jump[0], jump[0] + NATS) and _lost(last, rate.values[at:]):
            value = {"step": rate.steps[at], "before": last, "after": rate.values[at]}
            source = source_at(look, rate, at)
            yield Finding(RATE, value={**value, SAYS: LEAPS}, source=source)
            return


def _restarts(curve: Curve, old: Series) -> bool:
    """Lost, or those of the run's first steps again where the restart is far behind them."""
    rate = curve.series.get(NAME)
    if rate is None or rate_lost(curve, old):
        return rate is not None
    at = next((n for n, step in enumerate(rate.steps) if step >= old.steps[0]), None)
    return at is not None and _of_series(rate, at)


def _of_series(rate: Series, at: int) -> bool:
    first = dict(zip(rate.steps[:at], rate.values[:at], strict=True))
    after = dict(zip(rate.steps[at:], rate.values[at:], strict=True))
    return as_at_the_start(first, after)


def as_at_the_start(first: Mapping[int, float], after: Mapping[int, float]) -> bool:
    """Whether the rates after the restart are those of the run's first steps, one by one, though
    these are not all the same. The first line after it may be of any step of its interval."""
    steps = sorted(after)
    pace = min((b - a for a, b in pairwise(steps)), default=1)
    return any(_alike(first, after, steps[0] - offset) for offset in {1, pace})


def _alike(first: Mapping[int, float], after: Mapping[int, float], begun: int) -> bool:
    pairs = [(first[s - begun], v) for s, v in after.items() if s - begun in first]
    alike = all(abs(a - b) <= SAME * max(abs(a), abs(b)) for a, b in pairs)
    return len(pairs) >= MIN_POINTS and len({a for a, _ in pairs}) > 1 and alike


def rate_lost(curve: Curve, old: Series) -> bool:
    """The learning rate at the resume is far below that of the step before, and rises again."""
    rate, at = curve.series.get(NAME), old.steps[0]
    if rate is None:
        return False
    before = nearest_before(rate, at - 1)
    after = [v for s, v in zip(rate.steps, rate.values, strict=True) if s >= at][: len(old.steps)]
    return before is not None and _lost(before, after)


def _lost(before: float, after: Sequence[float]) -> bool:
    if len(after) < MIN_POINTS or before <= 0:
        return False
    return is_lost(before, after)


def _of_two_logs(logs: LogHits) -> Iterator[Finding]:
    """A later log that goes on where an earlier one of the same writer had been."""
    for first, later in pairs_of_logs(logs, NAME):
        known = {s.step: s.values[NAME] for s in first if s.step < later[0].step}
        after = {s.step: s.values[NAME] for s in later}
        if not known:
            continue
        before, again = known[max(known)], as_at_the_start(known, after)
        if not again and not _lost(before, list(after.values())):
            continue
        value = {"step": later[0].step, "before": before, "after": later[0].values[NAME]}
        source = later[0].source
        yield Finding(CHECK, "rate-restarts", value=value, source=source)
        yield Finding(RATE, value={**value, SAYS: LEAPS}, source=source)
        if again:
            yield Finding(AGAIN, "as-at-the-start", value=value, source=source)
        return


def _by_start(logs: LogHits, name: str) -> list[tuple[tuple[float, str], list[StepLine]]]:
    """The lines with the metric of each file, with the time and the file's name to sort them by; of
    each file those of one rank only. Files without times are left out."""
    by_file: dict[str, list[StepLine]] = {}
    for line in (*logs.earlier_steps, *logs.steps):
        if name in line.values and line.source.time is not None:
            lines = by_file.setdefault(line.source.file, [])
            if not lines or lines[0].source.rank == line.source.rank:
                lines.append(line)
    return [((lines[0].source.time or 0.0, file), lines) for file, lines in by_file.items()]


def pairs_of_logs(logs: LogHits, name: str) -> Iterator[tuple[list[StepLine], list[StepLine]]]:
    """A log and one of the same rank that goes on where it was, in the order in which they began.
    Of a run of thousands of ranks each file has few others to be compared with."""
    of_rank: dict[int | None, list[list[StepLine]]] = {}
    files = [lines for _, lines in sorted(_by_start(logs, name))]
    for lines in files:
        of_rank.setdefault(lines[0].source.rank, []).append(lines)
    at = dict.fromkeys(of_rank, 0)
    for first in files:
        rank = first[0].source.rank
        at[rank] += 1
        if len(first) <= MIN_POINTS:
            continue
        ended, least = first[-1].source.time or 0.0, first[MIN_POINTS].step
        most = 2 * max(s.step for s in first)
        for later in of_rank[rank][at[rank] :]:
            # It begins after the earlier one ended, and behind its first lines, but not behind its
            # last: a second run of a sweep begins at its own step 1.
            if (later[0].source.time or 0.0) > ended and least < later[0].step <= most:
                yield first, later


PROBE = Probe(
    name="curve-resumed-rate",
    title=Text("the learning rate after the restart", "重启后的学习率"),
    tells=(CHECK, RATE, AGAIN),
    wants=(Curve, LogHits),
    seconds=0.01,
    run=run,
)
