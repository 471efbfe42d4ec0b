"""Tests and redirections that lack a blank, or are other ones than they look."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Document
from medic.i18n import Text
from medic.patterns import regex

from .masked import numbered
from .script_text import ScriptText
from .slip import Slip, replaced

_TIGHT = regex(r"(?:^|[\s;])(?:if|elif|while|until|&&|\|\||!)\s+(\[{1,2})(?=[^\s\[\]])")
_OPEN_TEST = regex(
    r"(?:^\s*|\b(?:if|elif|while|until)\s+|&&\s*|\|\|\s*|!\s+)\[{1,2}\s[^\[\]]*[^\s\[\]](\]{1,2})"
    r"(?=\s*(?:;|$|&&|\|\|))"
)
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
_INTO_A_FILE = Text(
    "{word} writes to a file named 1; 2>&1 joins the two outputs",
    "{word} 会写入名为 1 的文件；合并两路输出应写 2>&1",
)


def conditions(script: ScriptText, document: Document) -> Iterator[Slip]:
    for number, line in numbered(script, document):
        if "[" in line or ">" in line:
            yield from _tests(script, number, line)


def _tests(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    for found in _TIGHT.finditer(line):
        span = script.between(number, found.span(1))
        yield Slip(_NEEDS_BLANK.fill(sign=found[1]), span, replaced(span, f"{found[1]} "))
    for found in _OPEN_TEST.finditer(line):
        span = script.between(number, found.span(1))
        yield Slip(_NEEDS_BLANK_BEFORE.fill(sign=found[1]), span, replaced(span, f" {found[1]}"))
    for found in _COMPARES.finditer(line):
        yield Slip(_REDIRECTS.fill(sign=found[1]), script.between(number, found.span(1)))
    for found in _TO_A_FILE.finditer(line):
        span = script.between(number, found.span(1))
        yield Slip(_INTO_A_FILE.fill(word=found[1]), span, replaced(span, "2>&1"))
