"""Keys and words, made from the table of actions."""

from __future__ import annotations

from medic.i18n import Text
from medic.text.safetext import columns

from . import words_help, words_more
from .actions import ACTIONS, keys_of, usage
from .lines import Block, Line, pad

GAP = 2  # columns behind the widest word
KEY_WIDTH = 16  # of a view


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
    width = GAP + max(columns(str(usage(action))) for action in ACTIONS)
    key_width = GAP + max(columns(keys_of(action)) for action in ACTIONS)
    for action in ACTIONS:
        typed = pad(str(usage(action)), width)
        lines.append(Line(action.help, "plain", typed + pad(keys_of(action), key_width)))
    lines += [Line(text, "muted") for text in words_more.HELP_TALK]
    lines.append(Line(words_more.HELP_CLOSE, "accent"))
    return Block("bare", tuple(lines))
