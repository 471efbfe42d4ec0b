"""A question about a key or a /word of the app: "what does f3 do?", f3 是干什么的."""

from __future__ import annotations

import re

from medic.i18n import Text, plain

from .actions import ACTIONS, bound, keys_of, usage
from .lines import Block, Line

_KEY = r"(?P<key>f(?:[1-9]|1[0-2])|ctrl ?[+-] ?[a-z]|esc(?:ape)?|/[a-z]+)"
_BUTTON = r"(?: ?(?:key|button|command|键|按键|命令))?"
_ASKED = re.compile(
    rf"^\W*?(?:and |so )?what(?:'s| does| is| do| will)?(?: the)?(?: key| command)? {_KEY}{_BUTTON}"
    rf"(?: (?:do|does|for|mean|here|key|about|used for))+\W*$|"
    rf"^(?:请问|那)?(?:按键?|按下)?\s?{_KEY.replace('key>', 'zh>')}{_BUTTON}\s?(?:是|有|会|能|用来)?\s?"
    r"(?:干什么|干嘛|干啥|做什么|什么意思|什么用|什么作用|什么功能|怎么样|什么)(?:的|用)?(?:呢|啊|呀)?\W*$",
    re.IGNORECASE,
)
_DOES = Text("{key}: {help} ({word})", "{key}：{help}（{word}）")
_NOTHING = Text(
    "{key} does nothing here; f1 or /help lists the keys and words",
    "{key} 在这里没有作用；f1 或 /help 列出全部按键与命令",
)


def told_of_key(text: str) -> Block | None:
    """What the key or word does that a sentence asks about; None: it asks about none."""
    asked = _ASKED.match(text)
    if asked is None:
        return None
    name = (asked["key"] or asked["zh"]).lower()
    key = re.sub(r" ?[+-] ?", "+", name)
    key = "escape" if key == "esc" else key
    for action in ACTIONS:
        if key in bound(action) or key == f"/{action.word}":
            shown = keys_of(action) or f"/{action.word}"
            told = _DOES.fill(key=shown, help=action.help, word=usage(action))
            return Block("medic", (Line(told),))
    return Block("medic", (Line(_NOTHING.fill(key=plain(name))),))
