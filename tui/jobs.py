"""What the screen may have the consultation do, by function: these can be named across a process.

Each imports what it needs when it is run: the screen needs their names only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .consultation import Consultation
    from .events import Choices
    from .offers import Offer


def begin(talk: Consultation) -> None:
    from .awaited import take_left

    talk.begin()
    take_left(talk)


def wake(talk: Consultation) -> None:
    """Goes on after the process that read the files has died: nothing is read until told to."""
    talk.start()


def say(talk: Consultation, text: str) -> None:
    from . import answers

    answers.say(talk, text)


def choose(talk: Consultation, choices: Choices, value: str) -> None:
    from . import answers

    answers.choose(talk, choices, value)


def how(talk: Consultation, choices: Choices) -> None:
    from . import answers

    answers.how(talk, choices)


def apply(talk: Consultation, offer: Offer) -> None:
    from . import after

    after.apply(talk, offer)


def order(talk: Consultation, word: str, argument: str) -> None:
    """A /word of the table of actions."""
    from .orders import ORDERS

    ORDERS[word](talk, argument)


def detail(talk: Consultation, cause: str) -> None:
    from . import graph_data
    from .events import Detailed

    if talk.found is not None:
        talk.emit(Detailed(cause, graph_data.detail(talk.session, talk.found, cause)))


def unknown(talk: Consultation, word: str, known: Sequence[str]) -> None:
    from . import orders

    orders.unknown(talk, word, list(known))
