"""The remedy that no answer to the open question changes: told now, the question is optional."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.records import replace

from . import words
from .lines import Block, Line, said
from .remedies import remedy

if TYPE_CHECKING:
    from medic.planner.looks import Question
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation
    from .offers import Offer

SURE_ENOUGH = ("almost-certain", "likely")


def settled(session: Session, asked: Question, found: Diagnosis) -> bool:
    """Whether every answer to a question leaves the remedy that comes first, of a leader that is
    likely at least."""
    leader = next(iter(found.causes), None)
    if leader is None or found.verdict != "likely" or leader.word not in SURE_ENOUGH:
        return False
    class_of, choices = session.model.remedy, {value for value, _ in asked.choices}
    after = {class_of.get(f.leader, "") for f in asked.look.flips if f.outcome in choices}
    return after == {class_of[leader.name]}


def advise(talk: Consultation, found: Diagnosis) -> None:
    """Tells it, once for each cause that leads."""
    asked = talk.question
    talk.settled = asked is not None and settled(talk.session, asked, found)
    name = found.causes[0].name if talk.settled else ""
    if name and name != talk.advised:
        own = [o for o in talk.offers() if o.own][:1]
        blocks = [block for offer in own for block in _told(talk.session, offer)]
        told = [said(words.DO_NOW, "strong"), *blocks] if blocks else []
        talk.tell_all(replace(block, beside=True) for block in told)
    talk.advised = name


def _told(session: Session, offer: Offer) -> Iterator[Block]:
    """A remedy; its code and steps make room where they would push the question out of sight."""
    first, *rest = remedy(session, offer)
    yield first
    for block in rest:
        short = words.CODE_IN_FULL if block.code else words.STEPS_IN_FULL
        yield replace(block, stub=Line(short, "accent", indent=0 if block.code else 3))
