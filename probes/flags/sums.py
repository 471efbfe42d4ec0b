"""Arithmetic that the shell does not do: ``$(N*8)``, ``$N*8``, ``$((N x 8))``, ``$((N * ))``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .masked import COMMENT, MASK, single_quoted
from .script_text import ScriptText
from .slip import Slip, replaced

_SHOWN = r"\$\{?[A-Za-z_]\w*\}?"
_PART = rf"(?:{_SHOWN}|\d+|[A-Z][A-Z0-9_]+)"
_AS_COMMAND = regex(rf"\$\(\s*({_PART}(?:\s*[*/+-]\s*{_PART})+)\s*\)(?!\))")
_AS_TEXT = regex(
    rf"^\s*(?:export\s+|local\s+|readonly\s+)?[A-Za-z_]\w*=(\"?({_SHOWN}(?:\*(?:{_SHOWN}|\d+))+)\"?)"
    r"\s*(?:[;#\ue001].*)?$"
)
_COUNTS = regex(r"(?i)NUM|NODE|GPU|TASK|PROC|SIZE|WORLD|BATCH|RANK|\bN\b|\bTP\b|\bPP\b|\bDP\b")
_LETTER = regex(rf"\$\(\(\s*(?:{_PART}|\w+)\s+([xX×])\s+(?:{_PART}|\w+)\s*\)\)")
_OPEN_END = regex(r"\$\(\([^()]*[^\s()+-]\s*([*/%]|(?<!\+)\+|(?<!-)-)\s*\)\)")
_RUNS = Text(
    "$({sum}) runs {first} as a command; what is computed stands in double parentheses: $(({sum}))",
    "$({sum}) 会把 {first} 当作命令执行；算术应写双层括号：$(({sum}))",
)
_NO_SUM = Text(
    "the shell computes nothing here: the value is the text {sum}; write $(({sum}))",
    "shell 在此不做计算：取值就是 {sum} 这段文字；请写 $(({sum}))",
)
_NO_OPERATOR = Text(
    "{letter} is no operator of the shell: this is a syntax error, * multiplies",
    "{letter} 不是 shell 的运算符：此处是语法错误，乘号是 *",
)
_NO_OPERAND = Text(
    "nothing follows {operator}: the shell expects a number there",
    "{operator} 之后没有内容：shell 在此需要一个数",
)


def sums(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    """``line`` is the masked one: of quoted text only what double quotes expand is looked at."""
    text = script.line_text(number)
    if "$" not in text or number in script.documents:
        return
    for found in _AS_COMMAND.finditer(text):
        if _is_code(line, text, found.start()) and _is_sum(script, found[1]):
            span, first = script.between(number, found.span()), found[1].split()[0]
            what = _RUNS.fill(sum=found[1], first=first)
            yield Slip(what, span, replaced(span, f"$(({found[1]}))"))
    told = _AS_TEXT.match(text)
    if told is not None and (re.search(r"\*\d", told[2]) or _all_counts(told[2])):
        span = script.between(number, told.span(1))
        yield Slip(_NO_SUM.fill(sum=told[2]), span, replaced(span, f"$(({told[2]}))"))
    for found in _LETTER.finditer(text):
        if _is_code(line, text, found.start()):
            span = script.between(number, found.span(1))
            yield Slip(_NO_OPERATOR.fill(letter=found[1]), span, replaced(span, "*"))
    for found in _OPEN_END.finditer(text):
        if _is_code(line, text, found.start()):
            span = script.between(number, found.span(1))
            yield Slip(_NO_OPERAND.fill(operator=found[1]), span)


def _is_code(line: str, text: str, at: int) -> bool:
    kept = line[at] == MASK and single_quoted(text, at)
    return line[at] != COMMENT and not kept


def _is_sum(script: ScriptText, text: str) -> bool:
    """Whether no part may be a program or its option: variables, numbers and names that are set."""
    names = re.findall(r"(?<![\w${])[A-Za-z_]\w*", text)
    return all(name in script.assigned or "_" in name for name in names)


def _all_counts(text: str) -> bool:
    """Whether all variables are named as numbers of something, not as parts of a path."""
    return all(_COUNTS.search(name) for name in re.findall(r"[A-Za-z_]\w*", text))
