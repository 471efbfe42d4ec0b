"""The remedy that comes first whatever the open question is answered: it is told beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.beliefs.likelihoods import Seen
from medic.records import replace

from . import words
from .lines import Block, Line, said
from .remedies import remedy

if TYPE_CHECKING:
    from medic.planner.questions import Question
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation
    from .offers import Offer

SURE_ENOUGH = ("almost-certain", "likely")


def settled(session: Session, asked: Question, found: Diagnosis) -> frozenset[str]:
    """The words of the chance that the remedy which comes first may have after an answer; none
    where another may come first then, or where the leader is not likely now."""
    leader = next(iter(found.causes), None)
    if leader is None or found.verdict != "likely" or leader.word not in SURE_ENOUGH:
        return frozenset()
    model, tried, after = session.model, frozenset(session.tried), set()
    for outcome, _ in asked.choices:
        beliefs = model.beliefs([*session.seen, Seen(asked.name, outcome, "person")], tried)
        if model.remedy[beliefs.leader] != model.remedy[leader.name]:
            return frozenset()
        after.add(beliefs.word(beliefs.leader))
    return frozenset(after)


def advise(talk: Consultation, found: Diagnosis) -> None:
    """Tells it, once for each cause that leads."""
    asked = talk.question
    after = settled(talk.session, asked, found) if asked is not None else frozenset[str]()
    talk.settled = bool(after)
    name = found.causes[0].name if talk.settled else ""
    if name and name != talk.advised:
        own = [o for o in talk.offers() if o.own][:1]
        blocks = [block for offer in own for block in _told(talk.session, offer)]
        title = words.DO_NOW if after <= {*SURE_ENOUGH} else words.DO_FIRST
        told = [said(title, "strong"), *blocks] if blocks else []
        talk.tell_all(replace(block, beside=True) for block in told)
    talk.advised = name


def _told(session: Session, offer: Offer) -> Iterator[Block]:
    """A remedy; its code and steps make room where they would push the question out of sight."""
    first, *rest = remedy(session, offer)
    yield first
    for block in rest:
        short = words.CODE_IN_FULL if block.code else words.STEPS_IN_FULL
        yield replace(block, stub=Line(short, "accent", indent=0 if block.code else 3))
