"""What is asked now: the step of a procedure that is walked, else the question worth most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import telling, walking, words
from .events import Asked, Choices
from .lines import glued, joined
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
    choices = Choices("answer", asked.name, options, asked.how)
    optional = bool(talk.plan.settled)
    if optional and talk.asked_last == (asked.name, options):
        answers = joined(
            [glued(f"{n} ", text) for n, (_, text) in enumerate(options, 1)], " / ", " / "
        )
        still = words.STILL_IF_YOU_LIKE.fill(question=asked.say, answers=answers)
        talk.tell(still, "muted")
        talk.emit(Asked(choices))
        return
    talk.asked_last = (asked.name, options)
    how = {"changes": changes(talk.offers()), "optional": optional}
    talk.tell(telling.question(talk.session, asked, options, talk.found, **how))
    talk.emit(Asked(choices))
