"""The remedy that comes first whatever the open question is answered: it is told beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.beliefs.likelihoods import Seen
from medic.records import replace

from . import remedies, words
from .lines import said

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


def weigh(talk: Consultation, found: Diagnosis) -> Offer | None:
    """Finds whether what is asked bears on what to do, and gives the remedy that is to be told
    beside it: each once, and once more when its change has been computed."""
    asked = talk.question
    plan = talk.plan
    plan.settled = settled(talk.session, asked, found) if asked is not None else frozenset()
    first = next((o for o in talk.offers() if o.own), None) if plan.settled else None
    advised = f"{first.cause} {first.fix.text}" if first is not None else ""
    told, plan.advised = plan.advised, advised
    return first if advised != told else None


def advise(talk: Consultation, offer: Offer) -> None:
    """Tells it."""
    title = words.DO_NOW if talk.plan.settled <= {*SURE_ENOUGH} else words.DO_FIRST
    talk.tell_all(
        replace(block, beside=True)
        for block in (said(title, "strong"), *remedies.told(talk, offer))
    )
