"""Values that the shell takes apart as no quotes keep them: JSON, and words with & or ; inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from medic.facts import Document
from medic.i18n import Text
from medic.text.patterns import regex

from .launchers import LAUNCHERS, PYTHON
from .masked import numbered
from .script_text import ScriptText
from .slip import Slip, replaced

# A flag, and behind it a { with a quote: what is quoted is masked in the line.
_OBJECT = regex(r"(?<!\S)--[A-Za-z][\w.-]*(?:=|[ \t]+)(\{[\"'])")
# A dictionary behind a flag or an override, with a comma that no quotes keep.
_DICTIONARY = regex(
    r"(?<!\S)(?:[+~]{0,2}[A-Za-z_]\w*(?:\.\w+)+|--[A-Za-z][\w.-]*)="
    r"(\{[^\s{},]*:[^\s{},]*(?:,[^\s{},]*:[^\s{},]*)+\})(?=\s|$)"
)
_LONGEST = 2_000
_CUT = regex(
    r"(?<!\S)--[A-Za-z][\w.-]*(?:=|[ \t]+)([^\s;&|<>()\"'`#]+(?:&(?![&>\s])|(?<=[\w=]);(?=\w))"
    r"[\w./%?=-][^\s;|<>()\"'`]*)(?=\s|$)"
)
_URL = regex(r"[a-z]\w*://|\?\w+=")
_COMMANDS = frozenset(("wait", "echo", "sleep", "cd", "exit", "srun", "nohup", "bash", "sh"))

_NO_QUOTES = Text(
    "without quotes around it the shell takes the quotes out of this JSON, and parts it at blanks and "
    "commas",
    "外面没有引号时，shell 会去掉这段 JSON 里的引号，并在空格和逗号处拆开",
)
_ENDS = Text(
    "{sign} ends the command inside {word}: what follows it becomes a command of its own",
    "{word} 中的 {sign} 会结束命令：其后的内容会被当成另一条命令",
)


_SEVERAL = Text(
    "without quotes around it bash makes {n} words of this dictionary, one for each comma, and each is "
    "a value of its own",
    "外面没有引号时，bash 会在逗号处把这个字典展开成 {n} 个词，每个词各是一个取值",
)


_ONE_COMMAND = Text(
    "without quotes around it the value ends at the blank: {word} is run as a command",
    "外面没有引号时，取值到空格为止：{word} 会被当成命令执行",
)
# NAME=--flag --flag: an assignment for one command, whose name would be a flag.
_ASSIGNED = regex(r"^\s*(?:[A-Za-z_]\w*=)(--?[A-Za-z]\S*(?:\s+(?!#)\S+)+)\s*$")
_FLAG = regex(r"^--[A-Za-z][\w-]*")


def _assigned(script: ScriptText, document: Document) -> Iterator[Slip]:
    """Bash manual: simple command expansion."""
    for command in document.every_command:
        first = command.words[0] if command.words and command.assignments else None
        text = script.line_text(first.span.line) if first is not None else ""
        found = _ASSIGNED.match(text)
        if first is None or found is None or not _FLAG.match(first.raw):
            continue
        span = script.between(first.span.line, found.span(1))
        plain = not any(sign in found[1] for sign in "\"'$`;|&<>()\\")
        what = _ONE_COMMAND.fill(word=first.raw)
        yield Slip(what, span, replaced(span, f'"{found[1]}"') if plain else None)


def unquoted(script: ScriptText, document: Document) -> Iterator[Slip]:
    yield from _assigned(script, document)
    for number, line in numbered(script, document):
        if number in script.documents or not ("--" in line or "={" in line):
            continue
        for found in _DICTIONARY.finditer(line):
            yield from _dictionary(script, number, found)
        for found in _OBJECT.finditer(line):
            yield from _object(script, number, found.start(1))
        for found in _CUT.finditer(line) if "&" in line or ";" in line else ():
            yield from _cut(script, number, found)


def _dictionary(script: ScriptText, number: int, found: re.Match[str]) -> Iterator[Slip]:
    """``a.b={x:1,y:2}``; JSON behind a flag is told as such. Bash manual: brace expansion."""
    text = script.line_text(number)[found.start(1) : found.end(1)]
    if found[0].startswith("--") and _is_object(text):
        return
    span, plain = script.between(number, found.span(1)), "'" not in text and "$" not in text
    what = _SEVERAL.fill(n=found[1].count(",") + 1)
    yield Slip(what, span, replaced(span, f"'{text}'") if plain else None)


def _object(script: ScriptText, number: int, start: int) -> Iterator[Slip]:
    """The text up to the brace that makes JSON of it."""
    text = script.line_text(number)[start : start + _LONGEST]
    ends = (found.end() for found in re.finditer(r"\}", text))
    end = next((end for end in ends if _is_object(text[:end])), 0)
    if end:
        span = script.between(number, (start, start + end))
        plain = "'" not in text[:end] and "$" not in text[:end]
        yield Slip(_NO_QUOTES, span, replaced(span, f"'{text[:end]}'") if plain else None)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _cut(script: ScriptText, number: int, found: re.Match[str]) -> Iterator[Slip]:
    """``--name a&b``; ``;`` in an address alone, as commands are also parted by it."""
    word = found[1]
    at = re.search(r"[&;]", word)
    if at is None:
        return
    after = re.split(r"[&;]", word)[1].rpartition("/")[2]
    program = after in _COMMANDS or after in LAUNCHERS or PYTHON.match(after) is not None
    own = at[0] == "&" and "=" not in after  # ; parts commands as well, A=1 may begin one
    if program or not (own or _URL.search(word)):
        return
    span = script.between(number, found.span(1))
    yield Slip(_ENDS.fill(sign=at[0], word=word), span, replaced(span, f'"{word}"'))
