"""A learning rate that leaps where the log says that it goes on from a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from medic.errors import Unreadable
from medic.facts import LogHits, Source, StepLine
from medic.probe import SAYS, Finding, Look

from ..logs.resumed_end import RESUMES
from .rate_leaps import LEAPS, LOST, is_lost, is_up, no_longer_rises

CHECK, SYMPTOM = "resume-difference", "learning-rate-not-as-set"
NAME = "learning_rate"
BEFORE, AFTER = 4, 3  # logged rates on either side
DOWN = 0.9  # times the rate before
BETWEEN = 400  # lines of a start


def judge(look: Look, logs: LogHits) -> Iterator[Finding]:
    """The first leap with words of a resume between its two lines; the steps go on."""
    for lines in _by_writer(logs):
        rates = [line.values[NAME] for line in lines]
        for at in range(BEFORE, len(lines) - AFTER + 1):
            told = _leaps(rates[at - BEFORE : at], rates[at : at + 10])
            if told and lines[at].step > lines[at - 1].step:
                first, later = lines[at - 1].source, lines[at].source
                if _resumes(look, first, later):
                    value = {"step": lines[at].step, "before": rates[at - 1], "after": rates[at]}
                    yield Finding(CHECK, "rate-restarts", value=value, source=later)
                    yield Finding(SYMPTOM, value={**value, SAYS: LEAPS}, source=later)
                    return


def _by_writer(logs: LogHits) -> list[list[StepLine]]:
    found: dict[tuple[str, int | None], list[StepLine]] = {}
    for line in logs.steps:
        if NAME in line.values:
            found.setdefault((line.source.file, line.source.rank), []).append(line)
    return list(found.values())


def _leaps(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether a rate that no longer rose is far higher at once, or falls and is warmed up anew: to
    much more than it was at, where it does not fall so far in the interval that is logged."""
    last, now = before[-1], after[0]
    if last <= 0 or not no_longer_rises(before):
        return False
    anew = now < DOWN * last and is_up(last, max(after))
    return is_up(last, now) or is_lost(last, after, back=LOST) or anew


def _resumes(look: Look, first: Source, later: Source) -> bool:
    """Whether a line between the two says that the run goes on from a checkpoint."""
    given = next((f for f in look.files("log") if f.name == first.file), None)
    if given is None or later.line <= first.line:
        return False
    try:
        lines = islice(look.lines(given.path), BETWEEN * 1000)
        until = takewhile(lambda line: line[0] < later.line, lines)
        between = [text for number, text in until if number > first.line]
    except Unreadable:
        return False
    return any(RESUMES.search(text[:400]) for text in between[:BETWEEN])
