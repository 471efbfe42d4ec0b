"""Whether a run that started from a checkpoint, or meant to, goes on where the one before it was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Curve, LogHits
from medic.i18n import Text
from medic.probe import SAYS, Finding, Look, Probe, config_of
from medic.records import replace
from medic.run_config import RunConfig
from medic.text.patterns import regex

from . import resume_norm, told_to_leave
from .jumps import UNTRAINED, relative_noise
from .numbers import finite, median, typical
from .plan import quoted
from .rate_leaps import LEAPS, is_lost, no_longer_rises
from .resume_points import Row, Start, starts
from .resumed_rate import as_at_the_start

CHECK, SYMPTOM, LOAD = "resume-difference", "resume-jumps", "resume-load"
AGAIN = "rate-after-resume"
RATE, STATES = "learning-rate-not-as-set", "checkpoint-states"
LAST, FIRST, LEAST = 10, 3, 3  # rows on either side of a start
HISTORY = 50  # rows before it that tell the noise
SIGMAS, MEDIAN_ERROR = 5.0, 1.2533
HIGHER, NATS = 1.05, 0.05  # what noise of a few batches does not reach, times and plus
_NOTHING = Text(
    "nothing was loaded from {path}: the loss is {loss} at step {step}",
    "没有从 {path} 加载任何内容：第 {step} 步 loss 为 {loss}",
)
INITIAL, FALLEN = 0.9, 1.3  # of the run's first loss; times the level before the start
LEARNED, RISEN = 0.5, 0.75  # nats that were learned; the share of them that is lost
BEGINS = 0.1  # of the steps before: a counter below it has begun again
STEADY = 4  # logged rates before a start that must not rise
UP, DOWN = 1.02, 0.9  # times the last rate: no schedule that falls or is constant does both
SOON = 30  # rows in which a loss that only lacked the optimizer's state is on its way back
FALLS = 3.0  # times what the loss had come down by in as many rows before
ALIKE = 0.25  # of the change of level: the noise of two batches
NEAR = 10  # rows behind a start in which a warmup shows
_LATER_EPOCH = regex(r"(?i)\bepoch\W{0,3}[1-9]|第 ?[1-9]\d* ?(?:轮|个)")
_NO_POSITION = regex(
    r"(?i)\bno (?:saved |stored )?(?:state|position)\b|\b(?:state|position) (?:was |is )?(?:not|missing)\b|"
    r"没有保存|未恢复"
)
_NAMES = ("optimizer", "scheduler")
_METADATA = regex(r"could not find the metadata file (\S+?)/+latest_\S+")


def run(look: Look) -> Iterator[Finding]:
    yield from _other_path(look)
    for start in reversed(starts(look)):
        if len(start.before) >= LEAST and len(start.after) >= FIRST:
            found = [*_judged(look, start)]
            if found:
                yield from found
                return


def _judged(look: Look, start: Start) -> Iterator[Finding]:
    before = _until(start)
    was, now = (
        median([r.loss for r in before[-LAST:]]),
        median([r.loss for r in start.after[:FIRST]]),
    )
    first = start.after[0]
    jumps = now > was * max(HIGHER, _chance(before)) and now > was + NATS and first.loss > was
    source = quoted(look, first.source)
    shown = _shown(look, before, start.after)
    if start.kind == "no-checkpoint":
        if jumps and _is_lost(look, start):
            yield Finding(LOAD, "nothing-found", source=start.source, exact=start.here)
            shown = replace(shown, exact=start.here)
            yield replace(shown, name=CHECK, outcome="back-to-initial")
            yield shown
        return
    again = first.step < BEGINS * start.before[-1].step
    config = config_of(look)
    if start.kind == "loaded" and again and not told_to_leave.is_own(config, start.source.text):
        return  # a new stage from these weights
    rate = _rate_lost(before, start.after)
    if start.data is not None and not jumps:
        yield from _data_again(start, shown, was, now, _chance(before))
    elif not jumps:
        yield from _data_not_skipped(config, shown, before, start.after)
    if jumps:
        level = _level(start, was, now)
        # Two signs, neither of which follows from the other; or the run's own first losses again.
        exact = rate is not None or (level == "back-to-initial" and start.here)
        if rate is None or rate[1] <= UP * rate[0]:  # a rate that leaps up takes the loss with it
            yield replace(shown, name=CHECK, outcome=level, exact=exact)
            if level == "higher-then-recovers":
                yield from resume_norm.judge(look, before, start.after)
        yield replace(shown, exact=exact)
    # In one log, that of a loss that goes on is curve-resumed-rate's.
    anew = again and rate is not None and as_at_the_start(_rates(before), _rates(start.after))
    if rate is not None and (jumps or anew or not start.here):
        row = _leapt(start.after, rate[0])
        told = {"step": row.step, "before": rate[0], "after": row.rate}
        source = quoted(look, row.source)
        yield Finding(CHECK, "rate-restarts", value=told, source=source)
        yield Finding(RATE, value={**told, SAYS: LEAPS}, source=source)
        if jumps and rate[1] < DOWN * rate[0]:
            yield Finding(AGAIN, "lower-and-loss-jumps", value=told, source=source, exact=True)
        if anew:
            yield Finding(AGAIN, "as-at-the-start", value=told, source=source)
    if jumps or rate is not None:
        yield from _left(start, config)


def _left(start: Start, config: RunConfig) -> Iterator[Finding]:
    """What of the checkpoint's states a line of the start, or a setting, says to be left out."""
    if start.left:
        text = start.left[0].source.text.lower()
        absent = tuple(n for n in _NAMES if n in text) or told_to_leave.printed(text)
        yield Finding(STATES, "state-absent", {"absent": absent}, start.left[0].source, exact=True)
    elif (told := told_to_leave.states(config)) is not None:
        value = {"absent": told.what}
        yield Finding(STATES, "state-absent", value, told.source, exact=True)


def _data_not_skipped(
    config: RunConfig, shown: Finding, before: Sequence[Row], after: Sequence[Row]
) -> Iterator[Finding]:
    """A setting keeps the run from going on in its data; it shows where the loss stays lower, by
    more than the run had come down in as many steps."""
    told = told_to_leave.data(config)
    if told is None:
        return
    value = {"name": told.name, "step": shown.value["step"]}
    noted = Finding(CHECK, "data-not-skipped", value, told.source, exact=True)
    old, new = finite([r.loss for r in before]), finite([r.loss for r in after[:HISTORY]])
    if len(old) < 2 * HISTORY or len(new) < HISTORY:
        yield noted
        return
    earlier, was, now = (median(o) for o in (old[-2 * HISTORY : -HISTORY], old[-HISTORY:], new))
    error = relative_noise(old[-HISTORY:]) * MEDIAN_ERROR * math.sqrt(2 / HISTORY)
    if now * math.exp(SIGMAS * error) < was and was - now > FALLS * max(earlier - was, 0.0):
        more = (shown.source, *shown.more)
        found = replace(shown, name=CHECK, outcome="data-from-start", exact=True)
        yield replace(found, source=told.source, more=more)
        yield replace(shown, exact=True)
    else:
        yield noted


def _shown(look: Look, before: Sequence[Row], after: Sequence[Row]) -> Finding:
    """The loss on either side of a start: by the two rows next to it, where they show what the levels
    do, else by a row of each side that stands for its level."""
    old, new = before[-LAST:], after[:FIRST]
    one, other = old[typical([r.loss for r in old], late=True)], new[typical([r.loss for r in new])]
    change, last, first = other.loss - one.loss, old[-1], new[0]
    if abs(first.loss - last.loss - change) <= ALIKE * abs(change):
        one, other = last, first
    value = {"step": after[0].step, "before": one.loss, "before_step": one.step}
    value |= {"after": other.loss, "after_step": other.step}
    line, more = quoted(look, other.source), quoted(look, one.source)
    return Finding(SYMPTOM, value=value, source=line, more=(more,))


def _data_again(
    start: Start, shown: Finding, was: float, now: float, chance: float
) -> Iterator[Finding]:
    """The data starts anew behind a checkpoint: its position was not there, or the loss falls at
    once, as on samples that were seen before. A checkpoint of an epoch's end starts one, too."""
    data = start.data
    if data is None or _LATER_EPOCH.search(data.source.text):
        return
    lower = now * max(HIGHER, chance) < was and was - now > NATS
    found = replace(shown, name=CHECK, outcome="data-from-start", exact=True)
    if lower or _NO_POSITION.search(data.source.text):
        yield replace(found, source=data.source, more=(shown.source, *shown.more))
    if lower:
        yield replace(shown, exact=True)


def _until(start: Start) -> list[Row]:
    """What was logged before the step at which the run goes on, where its counter goes on."""
    at = start.after[0].step
    until = [r for r in start.before if r.step < at]
    return until if len(until) >= LEAST else start.before


def _chance(rows: Sequence[Row]) -> float:
    """The ratio that the medians of a level that stays do not reach."""
    noise = relative_noise(finite([r.loss for r in rows[-HISTORY:]]))
    return math.exp(SIGMAS * MEDIAN_ERROR * noise * math.sqrt(1 / LAST + 1 / FIRST))


def _level(start: Start, was: float, now: float) -> str:
    """A loss as at the run's start, that takes as long to come down as it did then: without the
    optimizer's state it is back at once."""
    whole = start.before[0].step <= BEGINS * start.before[-1].step
    initial = median([r.loss for r in start.before[:FIRST]])
    # Of few tokens a guess costs little more than what is learned in a short run: by nats, then.
    clear = initial > was + LEARNED and now - was > RISEN * (initial - was)
    back = whole and (clear or initial > FALLEN * was) and now > INITIAL * initial
    later = min(SOON, len(start.before), len(start.after)) - FIRST
    then, again = (median([r.loss for r in rows[later : later + FIRST]])
                   for rows in (start.before, start.after))  # fmt: skip
    slow = again > (then + was) / 2
    return "back-to-initial" if back and slow else "higher-then-recovers"


def _is_lost(look: Look, start: Start) -> bool:
    """Whether there was a checkpoint to go on from, and the counter begins again."""
    if not start.here:
        return look.fact(LogHits).resumable
    return start.after[0].step <= max(start.before[0].step, BEGINS * start.before[-1].step)


def _rate_lost(before: Sequence[Row], after: Sequence[Row]) -> tuple[float, float] | None:
    """(rate before, rate after) where one that no longer rose climbs again."""
    old = [r.rate for r in before if r.rate is not None][-STEADY:]
    new = [r.rate for r in after if r.rate is not None][:NEAR]
    if len(old) < STEADY or len(new) < FIRST or old[-1] <= 0:
        return None
    if not no_longer_rises(old):
        return None
    last, top = old[-1], max(new)
    falls = old[0] > UP * last
    lost = top > UP * last or is_lost(last, new) if falls else new[0] < DOWN * min(last, top)
    return (last, new[0]) if lost else None


def _leapt(after: Sequence[Row], before: float) -> Row:
    """The first row that shows another rate: a warmup may begin at the floor of the one before."""
    rated = [r for r in after if r.rate is not None]
    other = (r for r in rated if not DOWN * before <= (r.rate or 0.0) <= UP * before)
    return next(other, rated[0])


def _rates(rows: Sequence[Row]) -> dict[int, float]:
    return {r.step: r.rate for r in rows if r.rate is not None}


def _other_path(look: Look) -> Iterator[Finding]:
    """Megatron found no checkpoint at ``--load``, which is not where this run saves: where both are
    one, a first start finds none, either."""
    config: RunConfig = config_of(look)
    load, save = config.get("resume_from"), config.get("output_dir")
    if not look.has(LogHits) or not isinstance(load, str) or not isinstance(save, str):
        return
    load = load.rstrip("/")
    if load == save.rstrip("/"):
        return
    for hit in look.fact(LogHits).marks:
        found = _METADATA.search(hit.source.text) if hit.signature == "no-checkpoint" else None
        if found and found[1] == load:
            value: dict[str, object] = {"path": load}
            yield Finding(LOAD, "nothing-found", value=value, source=hit.source, exact=True)
            losses = (s for s in look.fact(LogHits).steps if s.source.line > hit.source.line)
            first = next((s for s in losses if s.values.get("loss", 0.0) > UNTRAINED), None)
            if first is not None:
                value |= {"step": first.step, "loss": first.values["loss"], SAYS: _NOTHING}
                yield Finding(SYMPTOM, value=value, source=first.source)
            return


PROBE = Probe(
    name="curve-resume-point",
    title=Text("the run at its start from a checkpoint", "从检查点启动时的训练状态"),
    tells=(CHECK, SYMPTOM, LOAD, RATE, AGAIN, STATES, resume_norm.CHECK),
    wants=(Curve, LogHits, RunConfig),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
