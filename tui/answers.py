"""What the user types or picks: answers, descriptions, pasted lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from medic.i18n import Text, plain
from medic.text.safetext import one_line

from . import (
    after,
    cards,
    excerpt,
    guesses,
    held,
    meant,
    sayings,
    starting,
    undoing,
    walking,
    words,
    words_keep,
    words_more,
    words_walk,
)
from .events import Choices
from .keeping import write
from .lines import Line, joined
from .run_values import unread_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from medic.match import Fragment
    from medic.session.consultation import Session
    from medic.told.stated import Stated

    from .consultation import Consultation

SUGGESTIONS = 3
NEAR_ENOUGH = 0.56  # of a symptom that is offered: below it the words name something else
# How a sentence about a run begins; no program prints its messages so.
OPENERS = frozenset(
    "the my our it i we this that after when since why how training loss run job".split()  # noqa: SIM905
)
_MESSAGE = re.compile(r"^\s*\[|\w+(?:Error|Exception)\b\s*:|^\s*File \"|^\s*\d{4}-\d\d-\d\d")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def choose(talk: Consultation, choices: Choices, value: str) -> None:
    """Takes one of the choices that were on the screen."""
    if choices.kind == "answer":
        _answer(talk, choices, value)
    elif choices.kind == "meaning":
        _meaning(talk, choices.name, value)
    elif choices.kind == "run":
        take_run(talk, value)
    elif choices.kind == "walk":
        walking.choose(talk, choices.name, value)
    elif choices.kind == "complaint":
        _complaint(talk, value)
    elif choices.kind == "after":
        after.choose(talk, value)
    elif choices.kind == "restore":
        undoing.choose(talk, choices.name, value)
    elif choices.kind == "held":
        held.decide(talk, choices.name, value)
    elif value == "yes":
        talk.look()
    else:
        talk.tell(words_more.LATER)
        talk.ask()


def _answer(talk: Consultation, choices: Choices, value: str) -> None:
    from medic.session.said import said

    session, name = talk.session, choices.name
    before = said(session)
    while session.take_back(name) is not None:
        pass  # an answer that is given anew takes the place of the earlier one
    session.answer(name, value or None)
    what = joined([session.index.title(name), dict(choices.options)[value]], ": ", "：")
    _moved(talk, what, before)


def _meaning(talk: Consultation, text: str, value: str) -> None:
    """The symptom that a description meant becomes a complaint."""
    from medic.match import complains
    from medic.session.said import said

    session = talk.session
    before = said(session)
    if not value:
        # No healthy run, even where no symptom fits the words; but a fact is no complaint.
        if complains(text) or not (session.complaints or session.words):
            session.complain_of("", text)
        talk.tell(words.NOT_MATCHED)
        after.go_on(talk)
        return
    session.complain_of(value, text)
    title = session.index.title(value)
    talk.tell(words.RANKED_ANEW.fill(title=title))
    _moved(talk, title, before)


def _complaint(talk: Consultation, value: str) -> None:
    """What goes wrong, picked from the first question."""
    if value not in talk.session.index.symptoms:
        talk.tell(words_keep.TELL_ME)
        after.go_on(talk)
        return
    _meaning(talk, "", value)


def _moved(talk: Consultation, what: Text, before: dict[str, Any]) -> None:
    write(talk)
    talk.remember(what, before)
    talk.retell()


def how(talk: Consultation, choices: Choices) -> None:
    """How to look for the answer of the open question, or how to go on with a step."""
    if choices.kind == "walk":
        talk.tell(words_walk.NOT_KNOWN)
        walking.ask(talk)
        return
    if choices.how is not None:
        talk.tell(words.HOW.fill(how=choices.how))


# --- free text ------------------------------------------------------------------------------


def say(talk: Consultation, text: str) -> None:
    """A description is taken for what it reports, values for values; evidence is read like a
    file."""
    from medic.match import printed, split_paste
    from medic.told.refused import refused
    from medic.told.stated import only_states

    write(talk)
    text = cards.with_size(talk, text)
    if walking.goes_on(talk, text) or meant.taken(talk, text):
        return
    no_value, rest = refused(text)
    text = rest if no_value and (not rest or only_states(rest, talk.session.index)) else text
    parts = [] if _spoken(text) else split_paste(text, printed(text, talk.session.index))
    prose = all(kind == "prose" for kind, _, _ in parts)
    for told in no_value if prose or text == rest else ():
        talk.tell(told, "warn")
    if no_value and not text:
        after.go_on(talk)
        return
    if only_states(text, talk.session.index):
        _state(talk, text)
        return
    if prose:
        describe(talk, text)
    else:
        _read(talk, text, parts)


def _state(talk: Consultation, text: str) -> None:
    """Values of the run that no file states, or states otherwise."""
    from medic.session.said import said, state
    from medic.told.stated import stated

    before = said(talk.session)
    state(talk.session, stated(text, talk.session.index))
    cards.not_used(talk, text)
    talk.remember(words_keep.QUOTE.fill(words=one_line(text, 40)), before)
    sayings.look_again(talk)


def _read(talk: Consultation, text: str, parts: Sequence[Fragment]) -> None:
    """Pasted evidence, and which of its lines were taken for what."""
    from medic.session.said import said

    session = talk.session
    kinds = [words.PASTE_KINDS[kind].fill(n=body.count("\n") + 1) for kind, body, _ in parts]
    logs = any(kind == "log" for kind, _, _ in parts)
    if all(kind == "log" for kind, _, _ in parts) and excerpt.known(talk, text):
        return
    talk.tell(words.TAKEN_AS.fill(kinds=joined(kinds)))
    if talk.waiting is not None and logs:
        after.recheck(talk, text)
        return
    before = said(session)
    session.add(text)
    talk.remember(joined(kinds), before)
    if all(kind == "config" for kind, _, _ in parts):
        unread_settings(talk, text)
    talk.keep()
    talk.look(whole=logs, pasted=logs)


def _spoken(text: str) -> bool:
    """One line that somebody says: a message it quotes is told, not seen."""
    if "\n" in text or _MESSAGE.search(text):
        return False
    first = text.split(maxsplit=1)[0].lower().strip(",.") if text.split() else ""
    return (len(text.split()) > 3 and first in OPENERS) or bool(_HAN.search(text))


def describe(talk: Consultation, text: str) -> None:
    """What a description reports holds at once; where it reports nothing that medic knows, the
    symptoms that it may mean are choices."""
    from medic.match import complains
    from medic.session.against import leader, shown_otherwise
    from medic.session.said import said, say_again, state
    from medic.told.stated import beside_values, left_over

    session = talk.session
    before = said(session)
    stood, answered = leader(session), set(session.told.answered)
    known = {s.name for s in sayings.sayings(session)}
    told = beside_values(text, session.index, session.words)  # a value is no answer of another kind
    session.complain(told)
    reports = any(s.name not in known for s in sayings.sayings(session))
    if reports and (shown := shown_otherwise(session, stood, answered)) is not None:
        say_again(session, before)
        held.hold(talk, text, shown, before)
        return
    values = _values(session, text, beside=reports)
    if not reports and not (values and complains(told)):
        say_again(session, before)  # words that report nothing rank nothing
    if reports or values:
        session.refuse(False)
        talk.remember(words_keep.QUOTE.fill(words=one_line(text, 40)), before)
        cards.not_used(talk, text)
        for number in () if reports else left_over(text, session.index):
            talk.tell(words_keep.GIVEN_TO_NONE.fill(number=plain(number)), "warn")
        if state(session, values):
            sayings.look_again(talk)
        else:
            talk.retell()
        return
    _guess(talk, text)


def _guess(talk: Consultation, text: str) -> None:
    """The symptoms that a description may mean, as choices; none where it only states facts."""
    from medic.match import complains
    from medic.told.stated import beside_values

    session = talk.session
    words_ = beside_values(text, session.index, session.words).strip()
    unknown = cards.not_used(talk, text)
    near = (
        [n for n in session.suggest(words_) if n[1] >= NEAR_ENOUGH][:SUGGESTIONS] if words_ else []
    )
    if not words_ or (unknown and not complains(words_)):
        if not talk.which_size:
            talk.tell(words.NOTHING_TAKEN)
        after.go_on(talk)
        return
    if not near and guesses.vouched(talk, text):
        return
    if not near:
        guesses.nothing_near(talk, text)
        return
    index = session.index
    options = (*((name, index.title(name)) for name, _ in near), ("", words.NONE_OF_THESE))
    talk.offer_choices(Choices("meaning", text, options), Line(words.DID_YOU_MEAN, "strong"))


def _values(session: Session, text: str, *, beside: bool) -> list[Stated]:
    """The values in a description; ``beside`` a report only those that no file states: it tells
    of what was tried, too."""
    from medic.run_config import RunConfig
    from medic.told.stated import stated

    config = session.evidence.fact(RunConfig) or RunConfig()
    found = stated(text, session.index)
    return [item for item in found if not beside or not config.stated(item.field)]


# --- runs -----------------------------------------------------------------------------------


def offer_runs(talk: Consultation) -> None:
    """The runs of the folder as choices."""
    starting.ask_run(talk)
    starting.tell_stands(talk)


def take_run(talk: Consultation, name: str) -> None:
    """Starts anew over another run of the folder. Raises UsageError for an unknown name."""
    from medic.case.collect import collect

    case = talk.case
    talk.take_case(collect([case.root], run=name, given=case.given, this_host=case.this_host))
