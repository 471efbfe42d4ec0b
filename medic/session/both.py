"""What a person tells beside what the files show, where these are not the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from medic.entries.levels import LIKE_SHARE
from medic.entries.words import TELLTALE
from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.planner.verdict import leading_symptoms
from medic.session.diagnosis import line_of
from medic.text.patterns import regex
from medic.told.supposed import supposed_there

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from medic.planner.verdict import Heard
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

POINTS = 20  # losses that say what the curve is like
_OTHER = Text(
    "You tell of: {said} (“{quote}”). The files show something else: {shown} [{where}].",
    "你说的是：{said}（“{quote}”）；文件里看到的却是：{shown} [{where}]。",
)
_NONE = Text(
    "You tell of: {said} (“{quote}”). The files show none of it: {shown} [{where}].",
    "你说的是：{said}（“{quote}”）；文件里没有这一现象：{shown} [{where}]。",
)
_FINITE = Text(
    "the {n} losses logged up to step {step} are all finite",
    "到第 {step} 步为止记录的 {n} 个 loss 全是有限值",
)
_NOT_ZERO = Text(
    "none of the {n} losses logged up to step {step} is 0",
    "到第 {step} 步为止记录的 {n} 个 loss 没有一个为 0",
)
_WELL = Text("the log goes on to a good end", "日志一直记录到正常结束")
MAX_QUOTE = 80
# The end of a sentence that only leads to a message.
_AN_ERROR = regex(
    r"(?i)(?:\b(?:the|an?|this|following|below|these|such)(?: \w+){0,2} (?:errors?|exceptions?|messages?|traceback)|"
    r"\b(?:errors?|exception|traceback) (?:below|as follows|is|was|like this|occurs?|occurred)|"
    r"报错(?:如下|信息(?:如下)?)?|(?:出现|遇到|提示)(?:如下|以下|下面的?)?(?:错误|报错|异常)|错误(?:如下|信息如下))"
    r"\s*[:：.。]?\s*$"
)
# What a program prints at its end, though a sentence: "Training completed. Do not forget to ...".
_ENDS = regex(
    r"(?i)^\W*(?:(?:the )?(?:training|run|job|model|evaluation|checkpoint)s? "
    r"(?:has |have |is |was )?(?:been )?(?:complete|finish|done|save|ended|written)|"
    r"(?:all )?(?:done|finished|completed?|saved|saving|wrote|written)\b)"
    r"(?!.*\b(?:i|my|we|our|it|they|but|same|answers?|outputs?)\b)"
)


def in_words(session: Session) -> list[Heard]:
    """What words tell, without what the numbers of a run that is over refute, and without answers
    to what is asked of a symptom that nobody saw or told of."""
    answered, gone = dict(session.answers), _gone(session)
    checks, present = session.index.checks, _present(session)
    shown = _is_shown(session)
    return [
        h
        for h in session.told.heard()
        if h.seen.name not in answered
        and not (shown and _introduces(session, h))
        and not (h.seen.outcome == "present" and h.seen.name in gone)
        and not (gone and h.seen.name in checks and h.seen.name != TELLTALE)
        and supposed_there(session.index, h.seen.name, present)
    ]


def _is_shown(session: Session) -> bool:
    """Whether a line was read that tells what failed: a symptom that is not bare, or words of one
    cause alone."""
    symptoms, exact = session.index.symptoms, session.evidence.observed
    return any(
        o.name == TELLTALE
        or (o.outcome == "present" and o.name in symptoms and not symptoms[o.name].bare)
        for o in exact
        if o.reliability == "exact"
    )


def _introduces(session: Session, told: Heard) -> bool:
    """Whether words say no more than that an error comes, which was read: "with my own data set I get
    this error:" tells of no fault of the data set. What was read so is no symptom of its own."""
    read = {o.name for o in session.evidence.observed if o.outcome == "present"}
    quote = told.finding.source.text
    symptom = told.seen.outcome == "present" and told.seen.reliability == "prose"
    return symptom and told.seen.name not in read and _AN_ERROR.search(quote) is not None


def _present(session: Session) -> set[str]:
    """Symptoms that were seen, or that anybody told of."""
    told, read = session.told, session.evidence
    seen = {o.name for o in (*read.observed, *read.consequences) if o.outcome == "present"}
    said = {name for n, r in told.reported.items() for name in (n, *r.also)}
    return seen | said | set(told.chosen) | {n for n, o in session.answers if o == "present"}


def written(session: Session) -> str:
    """What a person wrote, with what was pasted beside it: a command is much alike in all cases, and
    a log alone is read as one that lies in a file. Beside a log without a fault, a few words that
    complain of nothing describe nothing: "done" is what a program printed."""
    words, parts = session.told.words, session.case.parts
    kinds = {name: name.rpartition("<")[2] for name in parts}
    logs = any("log" in kind for kind in kinds.values())
    if not words.strip() or (logs and not _tells(session)):
        return ""
    return "\n".join([words, *(t for name, t in parts.items() if "command" not in kinds[name])])


def _tells(session: Session) -> bool:
    """Whether something wrong was seen or told, or the words complain, ask why, or are a sentence."""
    from medic.match import asks_why, complains
    from medic.match.paste import is_sentence

    words = session.told.words
    if session.told.answered or leading_symptoms(session.index, session.found):
        return True
    told = complains(words) or asks_why(words)
    lines = words.splitlines()
    return told or any(is_sentence(n) and not _ENDS.search(n) for n in lines)


def likeness(session: Session, text: str, seen: Collection[tuple[str, str]]) -> Mapping[str, float]:
    """How much a text reads like each cause; nothing of one that tells what the files refute. What
    lies beside a run as a hint counts for causes of what its files show, and for no other."""
    alone = not session.case.files
    told = {} if _gone(session) else session.told.likeness(text, seen, alone=alone)
    hints = session.case.hints
    shown = leading_symptoms(session.index, _of_files(session)) if hints else ()
    if not shown:
        return told
    from medic.match import alike
    from medic.told.unfit import read_alike

    near = alike(read_alike(hints, session.index), session.index)
    causes = {c for item in shown for c in session.index.showing(item.seen.name)}
    more = {c: LIKE_SHARE * near[c] for c in causes & near.keys()}
    return {c: max(told.get(c, 0.0), more.get(c, 0.0)) for c in (*told, *(more.keys() - told))}


def _of_files(session: Session) -> list[Heard]:
    from medic.session.against import of_files

    return of_files(session)


def _gone(session: Session) -> list[str]:
    """Symptoms told in words that the numbers of a run that is over refute."""
    logs = session.evidence.fact(LogHits)
    if not isinstance(logs, LogHits) or logs.ended not in ("well", "badly"):
        return []
    told = session.told.reported.items()
    return [n for n, r in told if r.outcome == "present" and refuted(session, n) is not None]


def refuted(session: Session, symptom: str) -> tuple[Text, Series] | None:
    """What the logged losses say against a symptom of theirs, by arithmetic; None if nothing."""
    curve = session.evidence.fact(Curve)
    loss = curve.series.get("loss") if isinstance(curve, Curve) else None
    if loss is None or curve is None or len(loss.values) < POINTS:
        return None
    watched = [s for n in ("loss", "grad_norm") if (s := curve.series.get(n))]
    finite = all(math.isfinite(v) for s in watched for v in s.values)
    words = {"loss-nan": _FINITE, "loss-is-zero": _NOT_ZERO}.get(symptom)
    if words is None or not finite or (symptom == "loss-is-zero" and 0.0 in loss.values):
        return None
    return words.fill(n=f"{len(loss.values):,}", step=loss.steps[-1]), loss


def both(session: Session, found: Diagnosis) -> Text | None:
    """A sentence that names both, where the files show nothing of what a person tells of."""
    told = session.told.reported
    symptoms = session.index.symptoms
    said = [n for n, r in told.items() if r.outcome == "present" and not symptoms[n].bare]
    if not said or not session.case.files:
        return None
    shown = leading_symptoms(session.index, _of_files(session))
    names = {item.seen.name for item in shown}
    if not names.isdisjoint(told) or _one_cause(found, said[0], names):
        return None
    quote = " ".join(told[said[0]].quote.split())[:MAX_QUOTE]
    more = {"said": symptoms[said[0]].title, "quote": quote}
    placed = [line_of(session.index, item, "") for item in shown if _counts(session, item)]
    if placed:
        first = placed[0]
        return _OTHER.fill({**more, "shown": first.text, "where": first.source.where()})
    if (against := refuted(session, said[0])) is not None:
        text, loss = against
        return _NONE.fill({**more, "shown": text, "where": f"{loss.file}:{loss.lines[-1]}"})
    logs = session.evidence.fact(LogHits)
    fails = any(s.role == "root" for s in symptoms[said[0]].signatures)
    if fails and isinstance(logs, LogHits) and logs.ended == "well" and logs.end is not None:
        return _NONE.fill({**more, "shown": _WELL, "where": logs.end.where()})
    return None


def _counts(session: Session, item: Heard) -> bool:
    symptom = session.index.symptoms[item.seen.name]
    return bool(item.finding.source.file) and not symptom.bare


def _one_cause(found: Diagnosis, said: str, shown: set[str]) -> bool:
    """Whether what is named as the cause is known to show what was said, and what is seen."""
    explains = set(found.causes[0].explains) if found.causes else set()
    return found.verdict == "established" and said in explains and not explains.isdisjoint(shown)
