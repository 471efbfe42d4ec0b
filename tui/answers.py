"""What the user types or picks: answers, descriptions, pasted lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text, plain

from . import walking, words, words_more
from .events import Asked, Choices
from .lines import Block, Line, joined
from .telling import numbered

if TYPE_CHECKING:
    from .consultation import Consultation

SUGGESTIONS = 3


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
    elif value == "yes":
        talk.look()
    else:
        talk.tell(words_more.LATER)
        talk.ask()


def _answer(talk: Consultation, choices: Choices, value: str) -> None:
    session, name = talk.session, choices.name
    session.answer(name, value or None)
    what = joined([session.index.title(name), dict(choices.options)[value]], ": ", "：")
    _moved(talk, what, lambda: session.take_back(name))


def _meaning(talk: Consultation, text: str, value: str) -> None:
    """The symptom that a description meant becomes a complaint."""
    session = talk.session
    told, refused = value in session.complaints, session.refused
    session.complain_of(value, text)
    if not value:
        # No healthy run, even where no symptom fits the words.
        talk.tell(words.NOT_MATCHED)
        talk.ask()
        return

    title = session.index.title(value)
    talk.tell(words.RANKED_ANEW.fill(title=title))

    def back() -> None:
        session.withdraw("" if told else value, text)
        session.refuse(refused)

    _moved(talk, title, back)


def _moved(talk: Consultation, what: Text, back: Callable[[], object]) -> None:
    talk.remember(what, back)
    talk.retell()


def how(talk: Consultation, choices: Choices) -> None:
    """How to look for the answer of the open question."""
    if choices.how is not None:
        talk.tell(words.HOW.fill(how=choices.how))


# --- free text ------------------------------------------------------------------------------


def say(talk: Consultation, text: str) -> None:
    """A description gives the nearest symptoms to choose from; evidence is read like a file."""
    parts = _parts(talk, text)
    if all(kind == "prose" for kind, _ in parts):
        describe(talk, text)
        return
    kinds = [words.PASTE_KINDS[kind].fill(n=body.count("\n") + 1) for kind, body in parts]
    talk.tell(words.TAKEN_AS.fill(kinds=joined(kinds)))
    talk.session.add(text)
    talk.look()


def _parts(talk: Consultation, text: str) -> Sequence[tuple[str, str]]:
    """The text by kind; one line that a signature matches is a log line, whatever it looks like."""
    from medic.match import Matcher, split_paste, watched

    parts = [(fragment[0], fragment[1]) for fragment in split_paste(text)]
    plain = len(parts) == 1 and parts[0][0] == "prose"
    if plain and Matcher(watched(talk.session.index)).shown_in(text):
        return [("log", text)]
    return parts


def describe(talk: Consultation, text: str) -> None:
    """The symptoms that a description may mean, as choices."""
    near = talk.session.suggest(text)[:SUGGESTIONS]
    if not near:
        talk.session.complain_of("", text)
        talk.tell(words.NO_SYMPTOM)
        talk.ask()
        return
    index = talk.session.index
    options = (*((name, index.title(name)) for name, _ in near), ("", words.NONE_OF_THESE))
    lines = (Line(words.DID_YOU_MEAN, "strong"), *numbered(options))
    talk.tell(Block("medic", lines))
    talk.emit(Asked(Choices("meaning", text, options)))


# --- runs -----------------------------------------------------------------------------------


def offer_runs(talk: Consultation) -> None:
    """The runs of the folder as choices."""
    case = talk.case
    options = tuple((name, plain(name)) for name in case.runs)
    lines = (Line(words_more.WHICH_RUN, "strong"), *numbered(options))
    talk.tell(Block("medic", lines))
    talk.emit(Asked(Choices("run", "", options)))


def take_run(talk: Consultation, name: str) -> None:
    """Starts anew over another run of the folder. Raises UsageError for an unknown name."""
    from medic.case import collect

    case = talk.case
    talk.take_case(collect([case.root], run=name, given=case.given, this_host=case.this_host))
