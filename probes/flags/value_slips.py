"""Values that no parser takes as they are meant: a colon, a comma, JSON that is none, ture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from medic.facts import Document, Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .slip import Slip, respelt

_COLON = regex(r"--[A-Za-z][\w.-]*:")
_COMMA = regex(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?,")
_FLAG = regex(r"--([A-Za-z][\w.-]*)")
# A single index of a list: --devices 0, is one card, not the number of them (Lightning).
_LISTS = regex(
    r"^(?!.*(?:num|per)[_-]).*(?:gpu|device|visible|rank|card|npu)|\bid|[_-]id|list|split|ratio|"
    r"shape|(?:image|img|crop|input)[_-]size$"
)
_OBJECT = regex(r"\s*\{\s*(?:\"|\w+\"?\s*:)")
_TEMPLATE = regex(r"\{[{%]")
_TAKES_JSON = regex(r"(?:json|kwargs|env[_-]vars|config|overrides?)$")
_LONGEST = 2_000  # characters of a JSON text that is looked into
_TRIED = 400  # of one in which a quote is put back
_BEHIND_COLON = Text(
    "the colon belongs to the flag: write {flag} and a blank",
    "冒号成了选项名的一部分：请写 {flag} 加空格",
)
_WITH_COMMA = Text(
    "{flag} gets {value} with the comma, which is no number",
    "{flag} 的取值 {value} 带着逗号，不是数字",
)
_NO_JSON = Text(
    "the value of {flag} is not JSON: {reason}", "{flag} 的取值不是合法的 JSON：{reason}"
)
_NO_COMMENT = Text(
    "inside quotes # begins no comment: it and the words behind it become arguments (behind eval it "
    "cuts off the rest)",
    "引号内的 # 不是注释：它和后面的词都会成为参数（若由 eval 执行，则会截断其余参数）",
)


def value_slips(document: Document, launches: Sequence[Launch]) -> Iterator[Slip]:
    for command in document.every_command:
        yield from _colons(command.words)
    for launch in launches:
        words = (*launch.launcher_words, *launch.arguments)
        yield from _colons(words)
        yield from _commas(launch.arguments)
        yield from _objects(words)
        yield from _comments(launch)


def _colons(words: Sequence[Word]) -> Iterator[Slip]:
    for word, after in zip(words, (*words[1:], None), strict=False):
        if _COLON.fullmatch(word.raw) and after is not None and not after.raw.startswith("-"):
            flag = word.raw[:-1]
            yield Slip(_BEHIND_COLON.fill(flag=flag), word.span, respelt(word, flag))


def _commas(words: Sequence[Word]) -> Iterator[Slip]:
    """``--lr 1e-5,`` where one value stands behind a flag."""
    for at, word in enumerate(words):
        flag, equals, value = word.raw.partition("=")
        after = words[at + 1] if at + 1 < len(words) else None
        if not equals:
            flag, value = words[at - 1].raw if at else "", word.raw
        single = after is None or after.raw.startswith("--")
        found = _FLAG.fullmatch(flag)
        if found is None or not single or _COMMA.fullmatch(value) is None:
            continue
        if _LISTS.search(found[1].lower()) is None:
            text = word.raw[:-1]
            yield Slip(_WITH_COMMA.fill(flag=flag, value=value), word.span, respelt(word, text))


def _comments(launch: Launch) -> Iterator[Slip]:
    """A line of a quoted list of arguments that looks like a comment."""
    for word in launch.arguments:
        outside = word.span.start < launch.span.start or word.span.start >= launch.span.end
        if outside and word.raw.startswith("#"):
            yield Slip(_NO_COMMENT, word.span)
            return


# --- JSON -----------------------------------------------------------------------------------


def _objects(words: Sequence[Word]) -> Iterator[Slip]:
    for at, word in enumerate(words):
        text = word.value or ""
        flag, equals, value = text.partition("=")
        if not (equals and _FLAG.fullmatch(flag)):
            flag, value = words[at - 1].raw if at else "", text
        found = _FLAG.fullmatch(flag)
        if found is None or len(value) > _LONGEST or not _OBJECT.match(value):
            continue
        if _TEMPLATE.match(value) or '"' not in value:
            continue
        reason = _refused(value)
        surely = reason and (_TAKES_JSON.search(found[1]) or _nearly(value))
        if surely:
            yield Slip(_NO_JSON.fill(flag=flag, reason=reason), word.span)


def _refused(text: str) -> str:
    """What the parser of JSON says of a text; "" if it takes it."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as problem:
        return str(problem)
    return ""


def _nearly(text: str) -> bool:
    """Whether one quote or bracket put back makes JSON of a text."""
    if len(text) > _TRIED:
        return False
    tried = (text[:at] + '"' + text[at:] for at in range(len(text) + 1))
    return not all(_refused(one) for one in (text + "}", text + "]}", *tried))
