"""After a remedy: the change written, the next run's log read, and what it shows."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from medic.i18n import Text
from medic.records import replace

from . import earlier, elsewhere, restart, words_after, words_more
from .events import Choices
from .lines import Block, Line, code
from .looking import tell_left_out

# Outcomes: the run did not have the change; it may not have had it.
WITHOUT, UNSURE = "gone-without", "gone-unsure"

if TYPE_CHECKING:
    from collections.abc import Callable

    from medic.session.consultation import Session
    from medic.session.recheck import Applied

    from .consultation import Consultation
    from .offers import Offer


def apply(talk: Consultation, offer: Offer) -> None:
    """Writes the previewed change, tells how to take it back, and what to run to check it."""
    from medic.session.recheck import applied_now

    record = offer.fix.apply()
    files = ", ".join(record.files)
    talk.tell(code(offer.fix.diff, diff=True))
    what = words_more.CHANGE.fill(id=record.id, files=files)
    talk.remember(what, change=record.id)
    talk.files_changed()
    session = talk.session
    one = applied_now(session, record, offer.fix, offer.cause)
    session.applied.append(one)
    talk.tell(words_more.APPLIED.fill(id=record.id, files=files), "good", top=True)
    talk.tell(Block("more", (Line(words_more.TO_UNDO.fill(id=record.id), "muted"),)))
    if any(f.kind in ("log", "metrics") for f in session.case.files):
        talk.waiting = one
        talk.keep()
        to_check(talk, offer)
    else:
        talk.retell()


def to_check(talk: Consultation, offer: Offer) -> None:
    """What to run now, and how one sees that it helped."""
    command = restart.command_of(
        talk.session, f"after-{talk.waiting.change}.log" if talk.waiting else ""
    )
    if command and talk.waiting is not None:
        elsewhere.warn(talk, talk.waiting)  # first: the command runs without the change till then
    talk.tell(words_after.RUN_THIS if command else words_after.RUN_AGAIN, "strong")
    if command:
        talk.tell(code(command))
    check = offer.fix.remedy.check or restart.sign_of(talk.session, offer.fix.remedy)
    if check is not None:
        talk.tell(Block("more", (Line(words_after.IT_WORKED_IF.fill(check=check)),)))
    if talk.demo:
        talk.tell(Block("more", (Line(words_after.IN_THE_DEMO, "muted"),)))
    ask(talk)


def ask(talk: Consultation, *first: tuple[str, Text], before: Line | None = None) -> None:
    """Whether the next run has been made; ``first``: answers ahead of the usual ones."""
    options = (
        *first,
        *elsewhere.options(talk),
        ("read", words_after.READ_NEW),
        ("undo", words_after.TAKE_BACK),
        ("later", words_after.LATER),
        *elsewhere.by_hand(talk),
        *((("anew", words_after.ANEW),) if talk.by_itself else ()),
    )
    asked = before or Line(words_after.DID_YOU_RUN, "strong")
    talk.offer_choices(Choices("after", "", options), asked)


def go_on(talk: Consultation) -> None:
    """Asks what was open before: of a change whose run is awaited, else the question."""
    if talk.waiting is not None and talk.walking is None:
        ask(talk)
    else:
        talk.ask()


def choose(talk: Consultation, value: str) -> None:
    """What the user picked after a change."""
    if value == "read":
        recheck(talk)
    elif value == "vain" and talk.waiting is not None:
        from .tried import said_in_vain

        said_in_vain(talk, talk.waiting)
    elif value == "undo":
        from .undoing import restore

        restore(talk, talk.waiting.change if talk.waiting else "")
    elif value == "elsewhere":
        elsewhere.change_there(talk)
    elif value == "there":
        elsewhere.changed_there(talk)
        recheck(talk)
    elif value == "anew":
        talk.waiting, talk.by_itself = None, False
        talk.look()
    else:
        talk.tell(words_after.WHENEVER)
        talk.ask()


def recheck(
    talk: Consultation,
    pasted: str = "",
    *,
    without: Callable[[Consultation, Applied], None] | None = None,
) -> None:
    """Reads the log of the run after the change, a file or ``pasted``, and says what it shows;
    ``without``: what to do where there is none, instead of asking for it."""
    from medic.session.recheck import TELLS_NOTHING, outcome, take_new_logs

    session, one = talk.session, talk.waiting
    if one is None:
        talk.look()
        return
    before = _standing(talk)
    if not take_new_logs(session, one, pasted):
        (without or _no_new_log)(talk, one)
        return
    talk.waiting = None
    talk.observe()
    tell_left_out(talk)
    found = outcome(session, one)
    _TELL[found](talk, one)
    if found in TELLS_NOTHING:
        # An old log beside the changed files would show another fault than the one there is.
        talk.waiting = one
        _stand_again(talk, before)
        session.refresh()
        talk.stale = True  # what was found is of the files before the change
        ask(talk)
        talk.keep()
        return
    session.applied = [replace(a, shown=found) if a == one else a for a in session.applied]
    if found == "still":  # what showed the fault is the run before: the new log has no sign of it
        _stand_again(talk, before)
        if not session.evidence.runs:  # a session that was taken up has not looked before
            talk.observe()
        _still_there(session, one)
        session.remedy_done(one.remedy, helped=False)
    talk.retell(whole=True)


def _standing(talk: Consultation) -> tuple[Any, ...]:
    """What a new log changes, and is given back where it tells nothing."""
    one = talk.session
    return one.case, one.evidence, one.aside, one.before, talk.stood


def _stand_again(talk: Consultation, before: tuple[Any, ...]) -> None:
    one = talk.session
    one.case, one.evidence, one.aside, one.before, talk.stood = before


def since(talk: Consultation, before: Applied) -> None:
    """Says what another log shows of a fault that was seen before: mended by hand, or another."""
    from medic.session.recheck import outcome
    from medic.session.runlogs import another_log

    if talk.waiting is not None or not before.symptoms or not another_log(talk.session, before):
        return
    found = outcome(talk.session, before)
    if found in ("gone", "other", *_OPEN):
        _TELL[found](talk, before)
    if found == "other":
        earlier.keep(talk, before)
    if found in _OPEN:
        talk.stood = before  # the next log of that run is held against it, too
    if found == "still":
        _still_there(talk.session, before)


def _still_there(session: Session, one: Applied) -> None:
    """What is measured shows a fault as before, though nothing names it any more."""
    for name in sorted(set(one.symptoms) - session.observed_symptoms()):
        session.complain_of(name)


def _no_new_log(talk: Consultation, one: Applied) -> None:
    logs = [f for f in talk.session.case.files if f.kind in ("log", "metrics")]
    newest = max(logs, key=lambda f: f.modified, default=None)
    if newest is None:
        talk.tell(words_after.NO_LOG, "warn")
    else:
        at = time.strftime("%H:%M:%S", time.localtime(newest.modified))
        since = time.strftime("%H:%M:%S", time.localtime(one.time))
        told = words_after.OLD_LOG.fill(file=newest.name, at=at, since=since)
        talk.tell(told, "warn")
    ask(talk)


def _gone(talk: Consultation, one: Applied) -> None:
    titles, why = earlier.titles(talk.session, one), _shown(talk, one)
    earlier.mended(talk, one)
    talk.session.helped(one.remedy)
    talk.session.new_episode()
    talk.another_run()
    told = words_after.GONE if one.change else words_after.GONE_BY_HAND
    if one.shown == WITHOUT:
        elsewhere.warn(talk, one)
        told = words_after.GONE_WITHOUT
    elif one.shown == UNSURE:
        told = words_after.GONE_UNSURE
    told = told.fill(titles=titles, change=one.change, why=why)
    talk.tell(told, "good", top=True)
    elsewhere.tell_rate(talk, one)
    earlier.tell(talk, one)


def _open(talk: Consultation, one: Applied) -> None:
    from medic.session.recheck import outcome

    told = _OPEN[outcome(talk.session, one)]
    told = told if one.change else _BY_HAND.get(told, told)
    told = told.fill(titles=earlier.titles(talk.session, one), why=_shown(talk, one))
    talk.tell(told, "warn", top=True)


def _same(talk: Consultation, one: Applied) -> None:
    from medic.session.further import goes_further
    from medic.session.runlogs import same_but_for_times

    further = goes_further(talk.session, one)
    told = words_after.SAME_FURTHER if further else words_after.SAME
    told = told.fill(titles=earlier.titles(talk.session, one), change=one.change)
    talk.tell(told, "warn", top=True)
    elsewhere.tell_rate(talk, one)
    if same_but_for_times(talk.session, one):
        talk.tell(words_after.BUT_FOR_TIMES, "muted")
    if not further:
        talk.session.remedy_done(one.remedy, helped=False)


def _elsewhere(talk: Consultation, one: Applied) -> None:
    elsewhere.tell(talk, one, earlier.titles(talk.session, one))


def _other(talk: Consultation, one: Applied) -> None:
    from medic.session.proof import proof

    shown, titles = proof(talk.session, one), earlier.titles(talk.session, one)
    told = words_after.OTHER if shown.state == "proved" else words_after.OTHER_FIRST
    told = told.fill(titles=titles, why=shown.told)
    talk.session.new_episode()
    talk.another_run()
    talk.tell(told, "strong", top=True)
    earlier.tell(talk, one)


def _shown(talk: Consultation, one: Applied) -> Text:
    from medic.session.proof import proof

    return proof(talk.session, one).told


def _unseen(talk: Consultation, _one: Applied) -> None:
    talk.tell(words_after.UNSEEN, top=True)


def _awaited(told: Text, talk: Consultation, one: Applied) -> None:
    talk.tell(told.fill(change=one.change), "warn", top=True)


_OPEN = {
    "early": words_after.EARLY,
    "nothing": words_after.NOTHING_YET,
    "still": words_after.STILL_THE_SAME,
}
_BY_HAND = {words_after.STILL_THE_SAME: words_after.STILL_BY_HAND}
_TELL: dict[str, Callable[[Consultation, Applied], None]] = {
    "gone": _gone,
    WITHOUT: lambda talk, one: _gone(talk, replace(one, shown=WITHOUT)),
    UNSURE: lambda talk, one: _gone(talk, replace(one, shown=UNSURE)),
    "same": _same,
    "other": _other,
    "unseen": _unseen,
    "unread": partial(_awaited, words_after.UNREAD),
    "older": partial(_awaited, words_after.OLDER),
    "same-log": partial(_awaited, words_after.SAME_LOG),
    "not-in-force": elsewhere.not_in_force,
    "elsewhere": _elsewhere,
    **dict.fromkeys(_OPEN, _open),
}
