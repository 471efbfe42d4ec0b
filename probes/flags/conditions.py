"""Tests and redirections that lack a blank, or are other ones than they look."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import Command, Document
from medic.i18n import Text
from medic.records import replace
from medic.text.patterns import regex

from .masked import numbered
from .script_text import ScriptText
from .slip import Slip, replaced

_TIGHT = regex(r"(?:^|[\s;])(?:if|elif|while|until|&&|\|\||!)\s+(\[{1,2})(?=[^\s\[\]])")
_OPEN_TEST = regex(
    r"(?:^\s*|\b(?:if|elif|while|until)\s+|&&\s*|\|\|\s*|!\s+)\[{1,2}\s[^\[\]]*[^\s\[\]](\]{1,2})"
    r"(?=\s*(?:;|$|&&|\|\|))"
)
# [ "$N"=1 ]: one word, that is never empty. [ "$N"-gt 1 ]: two words, no operator.
_HEAD = r"(?:^\s*|\b(?:if|elif|while|until)\s+(?:!\s+)?|&&\s*|\|\|\s*)"
_TERM = r"(?:\"[^\"\s]*\"|\$\{?\w+\}?|\$[#?*@!])"
_END = r"(?=\s*(?:;|$|&&|\|\|))"
_NO_BLANKS = regex(
    rf"{_HEAD}(?:\[{{1,2}}|\btest)\s+({_TERM}(==?|!=)[^\s\]=~;]+)(?:\s+\]{{1,2}})?{_END}"
)
_GLUED_COUNT = regex(
    rf"{_HEAD}\[{{1,2}}\s+({_TERM}(-(?:eq|ne|gt|ge|lt|le)))\s+[^\s\]]+\s+\]{{1,2}}{_END}"
)
_GLUED_SIGN = regex(rf"{_HEAD}\[\s+((-[nzfderwxs]){_TERM})\s+\]{_END}")
_COMPARES = regex(r"(?:^|\s)\[\s+[^\[\]]*?[^\s\\\[](?<!\\)\s+([<>])\s*[^\s\]&]+\s+\]")
_TO_A_FILE = regex(r"(?<!\S)(2>1|2&>1|&2>1)(?!\S)")
_NEEDS_BLANK = Text(
    "{sign} is a command: it needs a blank behind it", "{sign} 是一个命令，后面需要空格"
)
_NEEDS_BLANK_BEFORE = Text("{sign} needs a blank before it", "{sign} 前面需要空格")
_REDIRECTS = Text(
    "{sign} within [ ] writes to a file or reads one: compare numbers with -gt and -lt",
    "[ ] 里的 {sign} 是重定向；比较数字请用 -gt、-lt",
)
_ONE_WORD = Text(
    "{word} is one word, which is not empty: the test always holds; {sign} needs blanks beside it",
    "{word} 是一个非空的词，条件恒为真；{sign} 旁边需要空格",
)
_GLUED = Text(
    "{word} is one word: {sign} is no operator without a blank beside it",
    "{word} 被当作一个词：{sign} 旁边缺少空格，不是运算符",
)
_INTO_A_FILE = Text(
    "{word} writes to a file named 1; 2>&1 joins the two outputs",
    "{word} 会写入名为 1 的文件；合并两路输出应写 2>&1",
)


_NO_BRACKETS = Text(
    "without [ ] around it the shell runs the value of {word} as a command",
    "没有 [ ]，shell 会把 {word} 的取值当作命令执行",
)
_OPERATORS = frozenset(("=", "==", "!=", "-eq", "-ne", "-gt", "-ge", "-lt", "-le"))


def conditions(script: ScriptText, document: Document) -> Iterator[Slip]:
    for command in document.every_command:
        yield from _bare(command)
    for number, line in numbered(script, document):
        if "[" in line or ">" in line or "test" in line:
            yield from _tests(script, number, line)


def _bare(command: Command) -> Iterator[Slip]:
    """``if "$MODE" == train; then``."""
    words = command.words
    if len(words) != 3 or words[1].raw not in _OPERATORS or words[0].raw.lstrip('"')[:1] != "$":
        return
    first, last = words[0].span, words[2].span
    if first.line == last.line and first.end < words[1].span.start < last.start:
        span = replace(first, end=last.end, end_line=last.end_line, end_column=last.end_column)
        text = f"[ {words[0].raw} {words[1].raw} {words[2].raw} ]"
        yield Slip(_NO_BRACKETS.fill(word=words[0].raw), span, replaced(span, text))


def _apart(script: ScriptText, number: int, found: re.Match[str], said: Text) -> Slip:
    """The word with blanks around its operator."""
    word = script.line_text(number)[slice(*found.span(1))]
    at, sign = found.start(2) - found.start(1), found[2]
    new = f"{word[:at]} {sign} {word[at + len(sign) :]}".strip()
    span = script.between(number, found.span(1))
    return Slip(said.fill(word=word, sign=sign), span, replaced(span, new))


def _tests(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    text = script.line_text(number)
    for found in _TIGHT.finditer(line):
        word = text[found.end(1) :].split(maxsplit=1)[0]
        span = script.between(number, (found.start(1), found.end(1) + len(word)))
        place = script.between(number, found.span(1))
        yield Slip(_NEEDS_BLANK.fill(sign=found[1]), place, replaced(span, f"{found[1]} {word}"))
    for found in _OPEN_TEST.finditer(line):
        word = text[: found.start(1)].split()[-1]
        span = script.between(number, (found.start(1) - len(word), found.end(1)))
        place = script.between(number, found.span(1))
        what = _NEEDS_BLANK_BEFORE.fill(sign=found[1])
        yield Slip(what, place, replaced(span, f"{word} {found[1]}"))
    for pattern, said in (
        (_NO_BLANKS, _ONE_WORD),
        (_GLUED_SIGN, _ONE_WORD),
        (_GLUED_COUNT, _GLUED),
    ):
        for found in pattern.finditer(line):
            yield _apart(script, number, found, said)
    for found in _COMPARES.finditer(line):
        yield Slip(_REDIRECTS.fill(sign=found[1]), script.between(number, found.span(1)))
    for found in _TO_A_FILE.finditer(line):
        span = script.between(number, found.span(1))
        yield Slip(_INTO_A_FILE.fill(word=found[1]), span, replaced(span, "2>&1"))
