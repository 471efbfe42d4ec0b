"""/tried: a remedy that was tried and did not help. A change that no run has had counts for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import after, elsewhere, words_after, words_more
from .lines import Line

if TYPE_CHECKING:
    from medic.session.recheck import Applied

    from .consultation import Consultation


def tried(talk: Consultation, argument: str) -> None:
    """Marks a remedy as not helped; of the change whose run is awaited the new log decides, and
    where there is none, whether a run has had it is asked first."""
    from .orders import chosen

    one = talk.waiting
    if one is not None:
        number = argument.strip()
        offer = chosen(talk, number) if number else None
        if number and offer is None:
            return
        if offer is None or offer.fix.remedy.name == one.remedy:
            after.recheck(talk, without=_no_run_yet)
            return
    mark(talk, argument)


def _no_run_yet(talk: Consultation, one: Applied) -> None:
    told = words_after.NO_RUN_YET.fill(change=one.change)
    after.ask(talk, ("vain", words_after.RAN_IN_VAIN), before=Line(told, "warn"))


def said_in_vain(talk: Consultation, one: Applied) -> None:
    """The user says that it still fails: the remedy counts as tried; the new log tells what fails now."""
    from medic.session.said import said

    session = talk.session
    before = said(session)
    if not one.there and elsewhere.warn(talk, one):
        after.ask(talk)  # the run did not have it: that is no proof against the remedy
        return
    session.remedy_done(one.remedy, helped=False)
    title = session.index.remedies[one.remedy].title
    talk.remember(words_more.MARKED.fill(title=title), before)
    talk.tell(words_after.SAID_IN_VAIN.fill(change=one.change), "warn", top=True)
    after.ask(talk)
    talk.keep()


def mark(talk: Consultation, argument: str) -> None:
    """Marks a remedy as not helped: it goes to the end, and its causes become less likely."""
    from medic.session.said import said

    from .orders import chosen

    session = talk.session
    if talk.stale and talk.waiting is not None:
        talk.observe()
    elif talk.stale:
        talk.retell(plan=True)
    offer = chosen(talk, argument)
    if offer is None:
        return
    name = offer.fix.remedy.name
    if name in session.tried:
        talk.tell(words_more.TRIED_ALREADY.fill(title=offer.title))
        return
    before = said(session)
    if talk.before_remedy is None:
        talk.before_remedy = session.observed_symptoms()
    session.remedy_done(name, helped=False)
    talk.remember(words_more.MARKED.fill(title=offer.title), before)
    talk.tell(words_more.DID_NOT_HELP.fill(title=offer.title))
    talk.retell(plan=True)
