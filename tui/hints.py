"""What the rows around the talk say, without the widgets that draw them."""

from __future__ import annotations

from collections.abc import Collection

from medic.i18n import Text

from . import words, words_help
from .events import Choices
from .offers import NEEDS


def hint(choices: int, has: Collection[str], *, question: bool) -> Text:
    """What the empty input says; ``has``: what there is to act on where nothing is asked."""
    if "change" in has and (question or not choices):
        return words.ANSWER_OR_CHANGE.fill(n=choices) if choices else words.CHANGE_HERE
    needed = next((name[len(NEEDS) :] for name in has if name.startswith(NEEDS)), "")
    if not choices and needed:
        return words.VALUE_HERE.fill(name=needed)
    if not choices:
        return words.LOOK_HERE if "remedy" in has else words.TYPE_HERE
    return (words.ANSWER_HERE if question else words.CHOOSE_HERE).fill(n=choices)


def waits(choices: Choices | None) -> Text:
    """What the input takes now, in words."""
    if choices is None:
        return words_help.TALKS
    return words_help.ANSWERS if choices.how is not None else words_help.CHOOSES
