"""The key or /word that a question is about: "what does f3 do?", f3 是干什么的."""

from __future__ import annotations

import re

_KEY = r"(?P<key>f(?:[1-9]|1[0-2])|ctrl ?[+-] ?[a-z]|esc(?:ape)?|/[a-z]+)"
_BUTTON = r"(?: ?(?:key|button|command|键|按键|命令))?"
_ASKED = re.compile(
    rf"^\W*?(?:and |so )?what(?:'s| does| is| do| will)?(?: the)?(?: key| command)? {_KEY}{_BUTTON}"
    rf"(?: (?:do|does|for|mean|here|key|about|used for))+\W*$|"
    rf"^(?:请问|那)?(?:按键?|按下)?\s?{_KEY.replace('key>', 'zh>')}{_BUTTON}\s?(?:是|有|会|能|用来)?\s?"
    r"(?:干什么|干嘛|干啥|做什么|什么意思|什么用|什么作用|什么功能|怎么样|什么)(?:的|用)?(?:呢|啊|呀)?\W*$",
    re.IGNORECASE,
)


def key_asked(text: str) -> str | None:
    """The key or word as it was written, in small letters; None where the text asks about none."""
    asked = _ASKED.match(text)
    return (asked["key"] or asked["zh"]).lower() if asked else None
