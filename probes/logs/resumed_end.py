"""A run that goes on from a checkpoint at its planned end, and so trains nothing."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .digits import whole
from .ending import how
from .quiet_ranks import words

CHECK, SYMPTOM, LEFT = "resume-difference", "resume-trains-nothing", "steps-left"
RESUMES = regex(
    r"(?i)\b(?:resum(?:e|ed|ing)|continuing|continued)\b.{0,40}\b(?:from|at)\b|"
    r"\b(?:restored|loaded|loading) (?:\w+ ){0,3}(?:checkpoint|state)\b|"
    r"\bsuccessfully loaded checkpoint\b|(?:恢复|续训|继续训练)"
)
_STEP = regex(
    r"(?i)(?:checkpoint|global[_ ]?step|\bstep|\biter(?:ation)?)s?[-_ =:]{0,3}0{0,9}(\d{1,9})(?!\d*\.\d)|"
    r"第 ?(\d{1,9}) ?步"
)


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    resumed = _last_resume(logs)
    if logs.ended != "well" or resumed is None:
        return
    after = [s for s in logs.tail if s.file == resumed.file and s.line >= resumed.line]
    at = next((n for s in after if (n := _number(s.text)) is not None), None)
    ends = any(how(words(s)) == "well" for s in after)
    trained = any(
        s.source.file == resumed.file and s.source.line > resumed.line and s.values
        for s in logs.steps
    )
    if at is None or not ends or trained or _reached(look, logs) > at:
        return
    value = {"step": at}
    yield Finding(CHECK, "ends-at-once", value=value, source=resumed)
    yield Finding(SYMPTOM, value=value, source=resumed)
    planned = _planned(look, logs)
    if planned is not None and planned <= at:
        yield Finding(LEFT, "none", value=value | {"planned": planned}, source=resumed)


def _planned(look: Look, logs: LogHits) -> int | None:
    config = config_of(look)
    stated = config.integer("total_steps") if config.stated("total_steps") else None
    return stated or logs.planned_steps


def _last_resume(logs: LogHits) -> Source | None:
    return next((s for s in reversed(logs.tail) if RESUMES.search(words(s))), None)


def _number(text: str) -> int | None:
    found = _STEP.search(text)
    return whole(found[1] or found[2]) if found else None


def _reached(look: Look, logs: LogHits) -> int:
    """The last step that was logged anywhere, before the resume or after."""
    curve = look.fact(Curve).series.values() if look.has(Curve) else ()
    return max([logs.last_step or 0, *(s.steps[-1] for s in curve if s.steps)])


PROBE = Probe(
    name="resumed-end",
    title=Text("a resume at the planned end", "从终点恢复"),
    tells=(CHECK, SYMPTOM, LEFT),
    run=run,
    needs=(LogHits,),
    wants=(Curve, RunConfig),
    seconds=0.01,
    limit_seconds=5.0,
)
