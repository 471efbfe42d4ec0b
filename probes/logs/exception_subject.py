"""Whether the first exception is about what the data loader sends, or about values in the data."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Traceback, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from .evidence import failure
from .exceptions import DATA_WORDS, kind, place_is_loader

CHECK = "exception-subject"
_PICKLING = regex(r"Can't (?:pickle|get) local object|[Cc]annot pickle '|Can't pickle <")
_LOADS = regex(r"torch/utils/data/dataloader\.py$")
_ONE = regex(r"(?i)\b(?:sample|record|row|line|index|item|example|document|image)s?\s*#?:?\s*\d+")
_NOT_FINITE = regex(r"(?i)non-?\s?finite|not finite|\bnans?\b|\binf(?:s|inity|inite)?\b")
_OF_DATA = regex(
    r"(?i)batch|samples?\b|inputs?\b|features?\b|\bdata\b|\brows?\b|records?\b|examples?\b"
)
_OF_MODEL = regex(
    r"(?i)loss|grad|logit|output|activation|param|model|metric|reward|norm|score|entropy|advantage"
    r"|\bkl\b|log_?prob|hidden|predict|optimizer|update"
)


def run(look: Look) -> Iterator[Finding]:
    told = failure(look.fact(LogHits), look.fact(Tracebacks))
    outcome = subject(told) if told is not None else ""
    if told is not None and outcome:
        name = told.exception.rpartition(".")[2]
        value = {"exception": name, "message": told.message[:200]}
        yield Finding(CHECK, outcome, value=value, source=told.source)


def subject(told: Traceback) -> str:
    """not-picklable where the loader starts its workers, bad-sample where the reader says which one
    it cannot decode, bad-values where a check of the script
    says that the data holds some; "" else. What a check says of the loss, or of what the model
    gives, tells nothing of what went in."""
    if _PICKLING.search(told.message) and any(_LOADS.search(f.file) for f in told.frames):
        return "not-picklable"
    if place_is_loader(told) and _ONE.search(told.message) and _cannot_read(told.message):
        return "bad-sample"
    odd = _NOT_FINITE.search(told.message) and _OF_DATA.search(told.message)
    checks = bool(odd) and not _OF_MODEL.search(told.message) and kind(told) == "own-check"
    return "bad-values" if checks else ""


def _cannot_read(message: str) -> bool:
    return DATA_WORDS.search(message.lower()) is not None


PROBE = Probe(
    name="exception-subject",
    title=Text("what the first exception is about", "首个异常针对什么"),
    tells=(CHECK,),
    needs=(LogHits, Tracebacks),
    seconds=0.01,
    run=run,
)
