"""What people say back in a talk: that it still fails, that they do not follow, that they doubt it,
what to run. The words are those of ``knowledge/vocabulary/turns.yaml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import plain
from medic.report.words import CHANCE
from medic.text.patterns import regex

from . import after, news, words, words_after, words_talk
from .lines import Block, Line, code, said
from .offers import first_step

CURVES = {
    "grad_norm": regex(r"(?i)\bgrad|梯度"),
    "learning_rate": regex(r"(?i)\blr\b|learning rate|学习率"),
}
SHOWN, SHOWN_ELSE = 2, 3  # findings of the cause in short; suspects behind it

if TYPE_CHECKING:
    from .consultation import Consultation


def still_fails(talk: Consultation, _words: str) -> bool:
    """The remedy that was applied was in vain as far as the user says; the log of the run that
    still fails tells why. Before a remedy was applied: which one he did, or what to paste."""
    from .orders import look
    from .remedies import titled

    if talk.waiting is not None:
        from .tried import said_in_vain

        after.recheck(talk, without=said_in_vain)
        return True
    if talk.found is None or not talk.session.case.files:
        return _paste(talk)
    if news.any_new(talk):
        look(talk, "")
        return True
    lines = [Line(words_talk.STILL_FAILS, "strong")]
    untried = [titled(one) for one in talk.offers() if not one.tried] if talk.found.causes else []
    if untried:
        lines += [Line(words_talk.STILL_WHICH), *untried]
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)
    return True


def _paste(talk: Consultation) -> bool:
    talk.tell(words_talk.PASTE_WHAT)
    if talk.found is not None:
        after.go_on(talk)
    return True


def means(talk: Consultation, _words: str) -> bool:
    """How to look for the answer of the question that stands, else the cause in plain words."""
    found, question = talk.found, talk.question
    if found is None or not found.causes:
        return False
    cause, index = found.causes[0], talk.session.index
    asks = question is not None and talk.waiting is None and not talk.plan.settled
    lines = [Line(words_talk.IN_SHORT.fill(title=cause.title, code=cause.code), "strong")]
    lines.append(Line(index.causes[cause.name].why, indent=2))
    if asks and question is not None:
        lines += [Line(words_talk.THE_QUESTION.fill(question=question.say), "strong")]
        lines += [Line(words.HOW.fill(how=question.how), indent=2)] if question.how else []
    elif talk.offers():
        lines.append(Line(first_step(talk), indent=2))
    lines.append(Line(words_talk.WHY_BY, "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)
    return True


def in_short(talk: Consultation, _words: str) -> bool:
    """The cause, the finding that tells most, and what to do first."""
    from .seen import LONG, finding, place_of

    found, session = talk.found, talk.session
    if found is None:
        return False
    if not found.causes:
        return _nothing_found(talk)
    cause = found.causes[0]
    title = words_talk.SHORTLY.fill(title=cause.title, code=cause.code, word=CHANCE[cause.word])
    lines = [Line(title, "strong")]
    lines += [
        Line(finding(session, one, LONG), mark="! ", indent=2, where=place_of(session, one))
        for one in cause.evidence[:SHOWN]
    ]
    if talk.waiting is not None:
        waits = words_talk.CHANGE_WAITS.fill(change=talk.waiting.change)
        lines.append(Line(waits, indent=2))
    elif talk.offers():
        lines.append(Line(first_step(talk), indent=2))
    lines.append(Line(words_talk.REPORT_BY, "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)
    return True


def _nothing_found(talk: Consultation) -> bool:
    """That no cause was named, and what would tell more."""
    talk.tell(words_talk.NO_CAUSE_YET)
    return _paste(talk)


def what_else(talk: Consultation, _words: str) -> bool:
    """The next suspects, and how to set two side by side."""
    found = talk.found
    if found is None or not found.causes:
        return False
    rest = [c for c in found.causes[1:] if c.word != "ruled-out"][:SHOWN_ELSE]
    lines = [Line(words_talk.ELSE if rest else words_talk.NOTHING_ELSE, "strong")]
    for one in rest:
        text = words_talk.OF_FAMILY.fill(title=one.title, code=one.code, word=CHANCE[one.word])
        lines.append(Line(text, mark="- ", indent=2))
    if rest:
        both = words_talk.COMPARE_IT.fill(first=found.causes[0].code, code=rest[0].code)
        lines.append(Line(both, "muted"))
    lines.append(Line(words_talk.GRAPH_BY, "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)
    return True


def worked_before(talk: Consultation, _words: str) -> bool:
    """What is other than in the run that worked is what to look for."""
    talk.tell(words_talk.WORKED_BEFORE)
    if talk.found is not None:
        after.go_on(talk)
    return True


def a_curve(talk: Consultation, words_: str) -> bool:
    """The curve that is named, of those that are called so by everybody; else the loss."""
    from .curves import curve

    if talk.found is None:
        return False
    curve(talk, next((name for name, says in CURVES.items() if says.search(words_)), ""))
    after.go_on(talk)
    return True


def what_i_said(talk: Consultation, _words: str) -> bool:
    from .sayings import change

    change(talk, "")
    after.go_on(talk)
    return True


def report(talk: Consultation, _words: str) -> bool:
    from . import handover

    if talk.found is None:
        return False
    handover.report(talk, "")
    return True


def known_from(talk: Consultation, _words: str) -> bool:
    """Where the cause is known from."""
    if talk.found is None or not talk.found.causes:
        return False
    cause = talk.found.causes[0]
    sources = talk.session.index.causes[cause.name].sources
    lines = [Line(words_talk.KNOWN_FROM.fill(title=cause.title, code=cause.code), "strong")]
    for one in sources[:SHOWN_ELSE]:
        told = " ".join(filter(None, (one.handbook, one.document, one.at)))
        lines.append(Line(plain(told), mark="- ", indent=2))
    lines.append(Line(words_talk.EXPLAIN_BY.fill(code=cause.code), "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)
    return True


def prevent(talk: Consultation, _words: str) -> bool:
    talk.tell(words_talk.PREVENT)
    if talk.found is not None:
        after.go_on(talk)
    return True


def how_it_stands(talk: Consultation, words_: str) -> bool:
    """What was seen of a thing that is asked about; it is no report of a fault."""
    from .guesses import what_is_known

    if talk.found is None or not talk.found.causes:
        return False
    what_is_known(talk, words_)
    return True


def how_sure(talk: Consultation, _words: str) -> bool:
    """The word for it, what speaks for it and against it, and what could still change it."""
    from .reasons import sure

    if talk.found is None or not talk.found.causes:
        return False
    talk.tell(sure(talk.session, talk.found), top=True)
    after.go_on(talk)
    return True


def doubts(talk: Consultation, _words: str) -> bool:
    """What the cause rests on, and how to rule it out."""
    from .orders import why

    if talk.found is None or not talk.found.causes:
        return False
    why(talk, "")
    code_ = talk.found.causes[0].code
    talk.tell(Block("medic", (Line(words_talk.IF_NOT_SO.fill(code=code_)),)))
    after.go_on(talk)
    return True


def what_to_run(talk: Consultation, words_: str) -> bool:
    """The command that starts the run again; before a change what to do first."""
    from .meant import what_now
    from .restart import command_of

    if talk.found is None:
        return False
    if talk.waiting is None and talk.found.causes:
        return what_now(talk, words_)
    log = f"after-{talk.waiting.change}.log" if talk.waiting is not None else ""
    command = command_of(talk.session, log)
    if not command and talk.waiting is None:
        return False
    talk.tell(words_after.RUN_THIS if command else words_after.RUN_AGAIN, "strong")
    if command:
        talk.tell(code(command))
    after.go_on(talk)
    return True


def what_to_paste(talk: Consultation, _words: str) -> bool:
    return _paste(talk)


def gives_up(talk: Consultation, words_: str) -> bool:
    """One thing to do next, whatever was said before."""
    from .meant import what_now

    if talk.found is not None and talk.found.causes:
        return what_now(talk, words_)
    return _paste(talk)


def greets(talk: Consultation, _words: str) -> bool:
    talk.emit_only(said(words_talk.HELLO))
    if talk.found is not None:
        after.go_on(talk)
    return True
