"""Keys and words, made from the table of actions."""

from __future__ import annotations

from medic.i18n import Text

from . import words_help, words_more
from .actions import ACTIONS, keys_of, usage
from .lines import Block, Line, pad

WORD_WIDTH = 18
KEY_WIDTH = 16


def table(of: str = "", waits: Text | None = None) -> Block:
    """What the keys do here: of the graph view, of the patch view, else one row an action.

    ``waits`` says what the input takes just now.
    """
    if of in words_help.VIEWS:
        title, keys = words_help.VIEWS[of]
        lines = [Line(title, "strong")]
        lines += [Line(text, mark=pad(key, KEY_WIDTH)) for key, text in keys]
        return Block("bare", (*lines, Line(words_more.HELP_CLOSE, "accent")))
    lines = [Line(words_help.NOW, "strong"), Line(waits, indent=2)] if waits else []
    lines.append(Line(words_more.HELP_TITLE, "strong"))
    for action in ACTIONS:
        typed = pad(str(usage(action)), WORD_WIDTH)
        lines.append(Line(action.help, "plain", typed + pad(keys_of(action), KEY_WIDTH)))
    lines += [Line(text, "muted") for text in words_more.HELP_TALK]
    lines.append(Line(words_more.HELP_CLOSE, "accent"))
    return Block("bare", tuple(lines))
