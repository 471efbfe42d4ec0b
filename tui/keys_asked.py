"""A question about a key or a /word of the app: "what does f3 do?", f3 是干什么的."""

from __future__ import annotations

import re

from medic.i18n import Text, plain
from medic.told.keys import key_asked

from .actions import ACTIONS, bound, keys_of, usage
from .lines import Block, Line

_DOES = Text("{key}: {help} ({word})", "{key}：{help}（{word}）")
_NOTHING = Text(
    "{key} does nothing here; f1 or /help lists the keys and words",
    "{key} 在这里没有作用；f1 或 /help 列出全部按键与命令",
)


def told_of_key(text: str) -> Block | None:
    """What the key or word does that a sentence asks about; None: it asks about none."""
    name = key_asked(text)
    if name is None:
        return None
    key = re.sub(r" ?[+-] ?", "+", name)
    key = "escape" if key == "esc" else key
    for action in ACTIONS:
        if key in bound(action) or key == f"/{action.word}":
            shown = keys_of(action) or f"/{action.word}"
            told = _DOES.fill(key=shown, help=action.help, word=usage(action))
            return Block("medic", (Line(told),))
    return Block("medic", (Line(_NOTHING.fill(key=plain(name))),))
