"""What is said while medic is busy: kept at once, so that a kill or a quit loses none of it, and
taken when the session goes on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from medic.errors import MedicError
from medic.i18n import Text
from medic.text.safetext import one_line

from . import jobs, words_keep
from .diary import Diary
from .events import Choices
from .lines import said

if TYPE_CHECKING:
    from .consultation import Consultation
    from .desk import Job, Opening

QUOTED = 60
ANSWERS = ("answer", "meaning", "complaint")  # choices that tell something of the run


def record_of(job: Job, values: tuple[Any, ...]) -> dict[str, Any] | None:
    """What a job takes from the user, as plain data; None: it is not about what he says."""
    if job is jobs.say:
        return {"says": values[0]}
    if job is jobs.choose and values[0].kind in ANSWERS:
        choices, value = values
        options = [[name, [title.en, title.zh]] for name, title in choices.options]
        return {"picks": [choices.kind, choices.name, value], "options": options}
    return None


def kept_at_once(job: Job, values: tuple[Any, ...], opening: Opening, session: str) -> str:
    """Where what a job takes from the user is kept until ``session``, or one that begins, has it."""
    said = record_of(job, values)
    if said is None:
        return ""
    from medic.session.unheard import keep

    return keep(said, opening.case, session or opening.resume, demo=opening.demo)


def do(talk: Consultation, job: Job, values: tuple[Any, ...], number: int) -> None:
    """Does a job; what it takes from the user waits no longer when it is done."""
    if number:
        talk.diary.taking = number
    try:
        job(talk, *values)
    finally:
        if number:
            talk.diary.taken(number)


def take_left(talk: Consultation) -> None:
    """Takes what was said in a session before it was left. It is tried once: what ends the process
    must not end each that goes on with the session."""
    for one in talk.diary.left():
        if talk.closed:
            return
        talk.diary.taking = one["number"]
        talk.diary.taken(one["number"])
        talk.keep()
        with suppress(KeyError, TypeError, ValueError):
            _take(talk, one)


def tell_what(talk: Consultation, words: str) -> None:
    """What is answered next, where more than one thing was said meanwhile."""
    if talk.begun:
        words = one_line(words, QUOTED)
        talk.tell(said(words_keep.ANSWERS_TO.fill(words=Text(words, words)), "muted"))


def keep_unheard(talk: Consultation) -> bool:
    """What was said before the knowledge was there is kept as the app is left: in the session that
    was to go on, else in one of its own. Whether there was any."""
    from medic.session import awaited
    from medic.session.saved import load

    if not talk.diary.unheard or talk.begun:
        return False
    if not talk.resumed:
        _keep_bare(talk)
        return True
    with suppress(MedicError, OSError):
        saved = load(talk.resumed)
        if saved.is_open:
            return False
        diary = Diary(saved.id, saved.opened)
        diary.go_on(saved.data.get("taken", 0), awaited.kept(saved))
        diary.open()
        talk.diary = talk.diary.followed_by(diary)
    return True


def _keep_bare(talk: Consultation) -> None:
    """A session of which nothing is known but its case: what waits is taken when it goes on."""
    from medic.index.knowledge import Index
    from medic.session.consultation import Session

    nobody_asks = Index({})
    talk.diary.open()
    talk.diary.keep(Session(nobody_asks, talk.case), {"taken": 0, "demo": talk.demo})


def _take(talk: Consultation, one: Mapping[str, Any]) -> None:
    if "says" in one:
        text = str(one["says"])
        _tell(talk, Text(text, text))
        jobs.say(talk, text)
        return
    kind, name, value = map(str, one["picks"])
    options = tuple((str(key), Text(str(en), str(zh))) for key, (en, zh) in one["options"])
    index = talk.session.index
    if kind == "answer" and name not in index.checks and name not in index.symptoms:
        return
    choices = Choices("answer" if kind == "answer" else "meaning", name, options)
    _tell(talk, dict(options)[value])
    jobs.choose(talk, choices, value)


def _tell(talk: Consultation, words: Text) -> None:
    en, zh = (one_line(text, QUOTED) for text in (words.en, words.zh))
    talk.tell(said(words_keep.SAID_BEFORE.fill(words=Text(en, zh)), "muted"))
