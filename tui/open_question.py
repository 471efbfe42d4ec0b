"""What is asked now: the step of a procedure that is walked, else the question worth most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import telling, walking, words
from .events import Asked, Choices
from .offers import changes

if TYPE_CHECKING:
    from .consultation import Consultation


def ask(talk: Consultation) -> None:
    """Tells it with its choices."""
    if talk.walking is not None:
        walking.ask(talk)
        return
    if talk.question is None:
        talk.emit(Asked(None))
        return
    asked = talk.question
    options = (*asked.choices, ("", words.DONT_KNOW))
    how = {"changes": changes(talk.offers()), "optional": bool(talk.plan.settled)}
    talk.tell(telling.question(talk.session, asked, options, talk.found, **how))
    talk.emit(Asked(Choices("answer", asked.name, options, asked.how)))
