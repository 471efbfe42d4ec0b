"""Whether the run after a change went far enough to show that it helped.

A symptom that is no longer seen is no proof by itself: the run has to be past the place where it
showed, or what it measures has to be better by more than two runs differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from medic.facts import Curve, LogHits
from medic.i18n import Text
from medic.records import dataclass
from medic.session.reached import Reached, last_step, last_step_in, levels, measures, seconds
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.runner.evidence import Run
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

SPREAD = 0.05  # of a median: two runs of the same settings differ by up to some percent
ENOUGH = 10  # steps after which a level is one, where the remedy asks for no number
_OF_A_BATCH = regex(r"(?i)batch|accum")

State = Literal["proved", "still", "early", "nothing"]


@dataclass(frozen=True)
class Proof:
    """``proved``: mended as far as a log can tell; ``still``: what is measured is as before;
    ``early``: not as far as the run before; ``nothing``: not one step. ``told``: the numbers."""

    state: State
    told: Text


STEP_PAST = Text(
    "step {now}, past step {at} where it showed", "已到第 {now} 步，越过出现问题的第 {at} 步"
)
CURVE_AS_LONG = Text(
    "step {now}, as far as the curve that showed it, and the new curve does not show it",
    "已到第 {now} 步，与出现问题的曲线一样长，新曲线不再出现该问题",
)
STEPS_RUN = Text("{now} steps trained, before it was none", "已训练到第 {now} 步，之前一步也没有")
ENDED_WELL = Text("it ran to its end", "已正常运行到结束")
LONGER = Text("{now} s, it showed within {at} s", "已运行 {now} 秒，之前在 {at} 秒内出现")
MEASURED = Text("{name} {before} -> {now}", "{name} {before} -> {now}")
THE_SAME = Text("{name} {now} (before: {before})", "{name} {now}（之前为 {before}）")
NOT_THERE_YET = Text("step {now}; it showed at step {at}", "第 {now} 步；之前在第 {at} 步出现")
PAST_IT = Text(
    "step {now} is past step {at} where it showed, and the remedy asks for {more} steps more: "
    "step {until}",
    "第 {now} 步已越过出现问题的第 {at} 步，但该处置要求再跑 {more} 步，即第 {until} 步",
)
SHORTER = Text("{now} s; it showed within {at} s", "{now} 秒；之前在 {at} 秒内出现")
FEW_VALUES = Text(
    "{name} {now} over only {n} values (before: {before})",
    "{name} {now}，只有 {n} 个值（之前为 {before}）",
)
NOT_MEASURED = Text(
    "the new run has no {name}, which was {before} before", "新的运行没有 {name}，之前为 {before}"
)
NOT_LOOKED_AT = Text(
    "nothing of the new run shows what it was seen by before",
    "新的运行没有提供之前发现该问题所用的数据",
)
NO_STEP = Text("no step in the new log", "新日志中一步也没有")
NO_STEP_AT = Text(
    "no step in the new log; it showed at step {at}", "新日志中一步也没有；之前在第 {at} 步出现"
)
STEPS_FEW = Text(
    "{now} of the {until} steps that the remedy asks for", "该处置要求跑 {until} 步，现为 {now} 步"
)


def proof(session: Session, applied: Applied) -> Proof:
    """What the evidence of the new run shows of a fault that it no longer has."""
    before = applied.reached or Reached()
    remedy = session.index.remedies.get(applied.remedy)
    asked = remedy.worked_if if remedy is not None else None
    more = asked.after_steps if asked is not None else 0
    if not _fails(session, applied):
        measured = _measured(session, applied, before, more)
        if measured is not None:
            return measured
        if before.by and not _looked_at(session, before):
            return Proof("early", NOT_LOOKED_AT)
    return _curve_as_long(session, before) or _further(session, before, more)


def _fails(session: Session, applied: Applied) -> bool:
    """Whether any of the symptoms ends a run."""
    known = session.index.symptoms
    return any(n in known and not known[n].goes_on for n in applied.symptoms)


# --- what is measured -----------------------------------------------------------------------


def _measured(session: Session, applied: Applied, before: Reached, more: int) -> Proof | None:
    """By the first metric that the run before logged; None where it logged none of them."""
    index, symptoms = session.index, applied.symptoms
    now = {n: (level, count) for n, level, count in levels(session.evidence, index, symptoms)}
    rises = measures(index, symptoms, 1)
    old = [one for one in before.levels if _compares(applied, one[0])]
    both = next((one for one in old if one[0] in now), None)
    if both is None:
        first = next(iter(old), None)
        if first is None:
            return None
        told = NOT_MEASURED.fill(name=_word(first[0]), before=_number(first[1]))
        return Proof("nothing" if last_step(session.evidence) is None else "early", told)
    name, was, many = both
    level, count = now[name]
    better = level > was * (1 + SPREAD) if name in rises else level < was * (1 - SPREAD)
    few = not better and count < min(max(more, ENOUGH), many)
    pattern = FEW_VALUES if few else MEASURED if better else THE_SAME
    told = pattern.fill(name=_word(name), before=_number(was), now=_number(level), n=count)
    if few:
        return Proof("early", told)
    return Proof("proved" if better else "still", told)


def _compares(applied: Applied, name: str) -> bool:
    """The time of a step tells nothing of a run whose steps are of another size."""
    return name != "step_time" or not any(_OF_A_BATCH.search(line) for line in applied.added)


def _curve_as_long(session: Session, before: Reached) -> Proof | None:
    """Of a fault that a curve showed at its end or as a whole: the new one, as far as it is as
    long, is what such a fault shows in; no step past the end need come."""
    runs = [session.evidence.runs[n] for n in before.by if n in session.evidence.runs]
    if not runs or before.at is None or before.at != before.last:
        return None
    now = last_step_in(session, before.kind)
    if (
        not all(Curve in r.probe.needs and _looked(r) for r in runs)
        or now is None
        or now < before.at
    ):
        return None
    return Proof("proved", CURVE_AS_LONG.fill(now=now))


def _looked_at(session: Session, before: Reached) -> bool:
    """Whether a probe that saw the fault had something to look at in the new run, too."""
    runs = [session.evidence.runs[n] for n in before.by if n in session.evidence.runs]
    return any(_looked(run) for run in runs)


def _looked(run: Run) -> bool:
    return run.state == "found" or (run.state == "absent" and not run.skips)


_WORDS = {
    "tokens_per_s": Text("tokens/s", "tokens/s"),
    "samples_per_s": Text("samples/s", "samples/s"),
    "step_time": Text("seconds per step", "每步秒数"),
    "mfu": Text("MFU", "MFU"),
    "tflops": Text("TFLOPS", "TFLOPS"),
}


def _word(name: str) -> Text:
    return _WORDS.get(name, Text(name, name))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


# --- how far it came ------------------------------------------------------------------------


def _further(session: Session, before: Reached, more: int) -> Proof:
    """By how far the run came, in steps or else in seconds."""
    logs = session.evidence.fact(LogHits)
    now, at = last_step_in(session, before.kind), before.at
    well = logs is not None and logs.ended == "well"
    if at is None:
        return _without_steps(logs, before, now, more, well=well)
    if now is None:
        return Proof("nothing", NO_STEP_AT.fill(at=at))
    until = at + max(more, 1)
    planned = logs.planned_steps if logs is not None else None
    if planned is not None and planned > at:
        until = min(until, planned)
    if now <= at:
        return Proof("early", NOT_THERE_YET.fill(now=now, at=at))
    if now < until and not well:
        return Proof("early", PAST_IT.fill(now=now, at=at, more=more, until=until))
    return Proof("proved", STEP_PAST.fill(now=now, at=at))


def _without_steps(
    logs: LogHits | None, before: Reached, now: int | None, more: int, *, well: bool
) -> Proof:
    """Where the run before failed ahead of its first step."""
    if well:
        return Proof("proved", ENDED_WELL)
    if now is not None:
        if now >= more:
            return Proof("proved", STEPS_RUN.fill(now=now))
        return Proof("early", STEPS_FEW.fill(now=now, until=more))
    took = seconds(logs)
    if more or before.seconds is None or took is None:
        return Proof("nothing", NO_STEP)
    told = (LONGER if took > before.seconds else SHORTER).fill(
        now=f"{took:,.0f}", at=f"{before.seconds:,.0f}"
    )
    return Proof("proved" if took > before.seconds else "early", told)
