"""Blanks around =, which part what is meant to be one word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.facts import Command, Document, Launch, Repair, Word
from medic.i18n import Text
from medic.run_config import Span
from medic.text.patterns import regex

from .masked import MASK, numbered
from .script_text import ScriptText
from .slip import Slip, replaced, respelt

_NAME = regex(r"^[A-Za-z_]\w*$")
_EXPORT = regex(
    r"^\s*(?:export|local|readonly|declare(?:\s+-\w+)?)\s+([A-Za-z_]\w*)(\s+=\s*)(?=[^\s=~])"
)
_EXPORT_EMPTY = regex(
    r"^\s*(?:export|local|readonly|declare(?:\s+-\w+)?)\s+([A-Za-z_]\w*)=(\s+)(?=[^\s;&|#])(?![A-Za-z_]\w*=)"
)
# A name with nothing behind its =, and one word that is no program.
_SET_EMPTY = regex(
    r"^\s*([A-Za-z_]\w*)=(\s+)(?:[\"'][^\s\"']*[\"']?|[-+]?\d[\w.+-]*|/[\w./-]+)\s*(?:[#\ue001].*)?$"
)
_FLAG_EMPTY = regex(r"(?<!\S)(--[A-Za-z][\w.-]*)=([ \t]+)(?=([\w.$\"'/][^\s;|&]*))")
_FLAG_APART = regex(r"(?<!\S)(--[A-Za-z][\w.-]*)([ \t]+)(?=(=[\w.$\"'/][^\s;|&]*))")
_MAY_BE_EMPTY = regex(r"^(?:IFS|LANG|LC_|LD_|PYTHON|CUDA_VISIBLE|HIP_|\w*_proxy$|\w*_PROXY$)")
_NUMBER = regex(r"^\s*(?:export\s+)?[A-Za-z_]\w*=[\w.,]+;\s*(\d[\d,.;]*)\s*$")
_LONG = regex(r"^--[A-Za-z][\w.-]*$")
_SET_BY_VALUE = regex(r"^\$\{?([A-Za-z_]\w*)\}?=")

_EXPORT_BY_VALUE = regex(r"^\s*export\s+(\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}))=")

_BLANKS = Text(
    "blanks around =: {flag} gets the value =, and {value} is a word of its own",
    "= 两边有空格：{flag} 的取值变成 =，{value} 成了单独的参数",
)
_BLANK_BEFORE = Text(
    "a blank before =: {flag} gets the value {value}, with the =",
    "= 前有空格：{flag} 的取值变成了 {value}（带等号）",
)
_BLANK_AFTER = Text(
    "a blank behind =: {flag} gets an empty value, and {value} is a word of its own",
    "= 后有空格：{flag} 的取值为空，{value} 成了单独的参数",
)
_ASSIGNED = Text(
    "blanks around =: {name} is not set, the shell runs it as a command",
    "= 两边有空格：变量 {name} 没有被赋值，shell 会把它当作命令",
)
_NOT_SET = Text(
    "blanks around =: {name} gets no value, and the shell stops or goes on without it",
    "= 两边有空格：变量 {name} 得不到取值，shell 报错或继续执行",
)
_EMPTY = Text(
    "a blank behind =: {name} is empty, and what follows is a word of its own",
    "= 后有空格：变量 {name} 为空，后面的内容成了单独的词",
)
_NO_COMMAND = Text(
    "the shell runs {word} as a command: what it belongs to ends before it",
    "shell 会把 {word} 当作命令执行：它所属的内容在此之前已经结束",
)
_DOLLAR = Text(
    "${name}=: the value of {name} stands there, nothing is assigned; write {name}=",
    "${name}= 会先展开变量，并不是赋值；请写 {name}=",
)


def spacing(script: ScriptText, document: Document, launches: Sequence[Launch]) -> Iterator[Slip]:
    """Each place may be given several times."""
    for launch in launches:
        yield from _values((*launch.launcher_words, *launch.arguments))
    for command in document.commands:
        yield from _of_command(command)
        yield from _values(command.words, every=False)
    for number, line in numbered(script, document):
        yield from _assignments(script, number, line)


def _values(words: Sequence[Word], *, every: bool = True) -> Iterator[Slip]:
    """``--lr = 1``, ``--lr =1``, ``--lr= 1``; ``every``: ``key = 1`` too."""
    for before, word, after in zip(words, words[1:], (*words[2:], None), strict=False):
        flag = before.raw.startswith("-")
        long = _LONG.match(before.raw) is not None
        if word.raw == "=" and after is not None and (every or long):
            yield Slip(
                _BLANKS.fill(flag=before.raw, value=after.raw),
                word.span,
                _joined(before, after, f"{before.raw}={after.raw}"),
            )
        elif flag and re.match(r"=[^=]", word.raw) and "=" not in before.raw:
            text = f"{before.raw}{word.raw}"
            what = _BLANK_BEFORE.fill(flag=before.raw, value=word.raw)
            yield Slip(what, word.span, _joined(before, word, text))
        elif _is_empty(before) and not word.raw.startswith("-"):
            text = f"{before.raw}{word.raw}"
            what = _BLANK_AFTER.fill(flag=before.raw[:-1], value=word.raw)
            yield Slip(what, before.span, _joined(before, word, text))


def _is_empty(word: Word) -> bool:
    """``--lr=``; what a variable of another place fills in has no part in ``raw``."""
    return word.value == word.raw and re.match(r"--[\w.-]+=$", word.raw) is not None


def _joined(first: Word, last: Word, text: str) -> Repair | None:
    """Both words and what stands between them as one; None where they stand apart in the file."""
    one, other = first.span, last.span
    near = one.file == other.file and one.end <= other.start and one.line == other.line
    return replaced(_span(one, other), text) if near else None


def _span(first: Span, last: Span) -> Span:
    return Span(first.file, first.start, last.end, first.line, first.column, last.end_line,
                last.end_column)  # fmt: skip


def _of_command(command: Command) -> Iterator[Slip]:
    words = command.words
    if not words:
        return
    first = words[0]
    if len(words) > 1 and _NAME.match(first.raw) and re.match(r"=(?!=)", words[1].raw):
        if words[1].raw == "=" and len(words) == 2:
            return
        last = words[2] if words[1].raw == "=" else words[1]
        text = f"{first.raw}={last.raw.removeprefix('=') if last is words[1] else last.raw}"
        repair = _joined(first, last, text)
        yield Slip(_ASSIGNED.fill(name=first.raw), words[1].span, repair)
        return
    found = _SET_BY_VALUE.match(first.raw)
    if found is not None and not found[0].startswith("${!"):
        text = first.raw.replace("$", "", 1).replace("{", "", 1).replace("}", "", 1)
        repair = respelt(first, text if first.raw.startswith("${") else first.raw[1:])
        yield Slip(_DOLLAR.fill(name=found[1]), first.span, repair)


# --- lines ----------------------------------------------------------------------------------


def _assignments(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    """Those that the tree of the shell does not keep as commands."""
    export, empty = _EXPORT.match(line), _EXPORT_EMPTY.match(line)
    alone = _SET_EMPTY.match(line)
    ended = _NUMBER.match(line)
    by_value = _EXPORT_BY_VALUE.match(line)
    if by_value is not None and not script.named_otherwise(by_value[2] or by_value[3]):
        name = by_value[2] or by_value[3]
        span = script.between(number, by_value.span(1))
        yield Slip(_DOLLAR.fill(name=name), span, replaced(span, name))
    if ended is not None:
        yield Slip(_NO_COMMAND.fill(word=ended[1]), script.between(number, ended.span(1)))
    for found in _FLAG_EMPTY.finditer(line):
        what = _BLANK_AFTER.fill(flag=found[1], value=found[3].strip(MASK) or "…")
        span = script.between(number, found.span(2))
        yield Slip(what, script.between(number, found.span(1)), replaced(span, ""))
    for found in _FLAG_APART.finditer(line):
        span = script.between(number, found.span(2))
        yield Slip(
            _BLANK_BEFORE.fill(flag=found[1], value=found[3]),
            script.between(number, found.span(3)),
            replaced(span, ""),
        )
    if export is not None:
        span = script.between(number, export.span(2))
        yield Slip(_NOT_SET.fill(name=export[1]), span, replaced(span, "="))
    elif empty is not None:
        span = script.between(number, empty.span(2))
        yield Slip(_EMPTY.fill(name=empty[1]), span, replaced(span, ""))
    elif alone is not None and not _MAY_BE_EMPTY.match(alone[1]):
        span = script.between(number, alone.span(2))
        yield Slip(_EMPTY.fill(name=alone[1]), span, replaced(span, ""))
