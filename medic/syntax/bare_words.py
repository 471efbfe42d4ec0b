"""What is wrong with a value that JSON or TOML cannot read: words of another language, no quotes."""

from __future__ import annotations

from medic.i18n import Text
from medic.text.patterns import regex

_WORD = regex(r"[A-Za-z_]\w*")
_POINT = regex(r"-?\.\d+")
# Of Python and YAML, and what stands for them; TOML has nothing for null.
_OTHERS = {"True": "true", "False": "false", "None": "null", "yes": "true", "no": "false"}
_MEANT = Text("{word} is not read here, {meant} is", "这里不能写 {word}，应写 {meant}")
_QUOTES = Text("the text {word} needs quotes", "文本 {word} 需要加引号")
_DIGIT = Text("the number {word} needs a digit before its point", "数字 {word} 的小数点前需要数字")


def bare(text: str, at: int, *, null: bool) -> Text | None:
    """What is wrong with the value that begins at a character; None where that is unknown.
    ``null``: whether the format has it."""
    if (point := _POINT.match(text, at)) is not None:
        return _DIGIT.fill(word=point[0])
    word = _WORD.match(text, at)
    if word is None:
        return None
    meant = _OTHERS.get(word[0], "")
    if word[0].isupper() or (meant == "null" and not null):
        return None  # a place holder, that something fills in
    return _MEANT.fill(word=word[0], meant=meant) if meant else _QUOTES.fill(word=word[0])
