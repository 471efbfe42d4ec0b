"""A script's lines without what the shell only hands on: quoted text, comments, here-documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from medic.facts import Document
from medic.text.patterns import regex

MASK, COMMENT = "\ue000", "\ue001"  # stand for each character of quoted text, and of comments
_OPEN = ('open "', "open '")
_QUOTED = regex(
    r"\\.|(?<=[ \t])`[ \t]*#[^`\n]*`|"
    r"(?<![\w\\$])\$'(?:[^'\\]|\\.)*'|'[^']*'|\"(?:[^\"\\]|\\.)*\"|(?<![^\s;&|(])#[^\n]*",
    re.DOTALL,
)


class Lines(Protocol):
    """A script's lines; see ``script_text.ScriptText``."""

    @property
    def lines(self) -> list[str]: ...
    @property
    def code(self) -> list[str]: ...


def masked(lines: Sequence[str], documents: Collection[int]) -> list[str]:
    """The lines, as long as they are written. Quotes stay, what they hold is masked."""
    shown = [MASK * len(line) if number in documents else line
             for number, line in enumerate(lines, 1)]  # fmt: skip
    return _QUOTED.sub(_mask, "\n".join(shown)).split("\n")


def quote_at(lines: Sequence[str], documents: Collection[int], line: int, column: int) -> str:
    """The outermost quote around a place, " or ', and "" outside of quotes; # in a comment or a
    here-document. Lines and columns count from 1."""
    if line in documents:
        return "#"
    shown = ["" if number in documents else text for number, text in enumerate(lines, 1)]
    place = sum(len(text) + 1 for text in shown[: line - 1]) + column - 1
    for found in _QUOTED.finditer("\n".join(shown)):
        if found.start() < place < found.end():
            return found[0].lstrip("$")[:1].replace("\\", "").replace("`", "#")
        if found.start() > place:
            break
    return ""


def _mask(found: re.Match[str]) -> str:
    text = found[0]
    if text[0] == "\\":
        return text
    if text[0] in "#`":
        return COMMENT * len(text)
    inner = "\n".join([MASK * len(line) for line in text[1:-1].split("\n")])
    return text[0] + inner + text[-1]


def single_quoted(text: str, at: int) -> bool:
    """Whether single quotes keep a place of a line; inside of double quotes they are letters."""
    quote, escaped = "", False
    for sign in text[:at]:
        if escaped:
            escaped = False
        elif sign == "\\" and quote != "'":
            escaped = True
        elif sign in ("'", '"') and quote in ("", sign):
            quote = "" if quote else sign
    return quote == "'"


def numbered(script: Lines, document: Document) -> Iterator[tuple[int, str]]:
    """(number, masked line) of the lines that the shell reads: up to a quote that nothing closes."""
    stops = (p.span.line for p in document.problems if p.kind == "refused" and p.detail in _OPEN)
    last = min(stops, default=len(script.lines))
    yield from enumerate(script.code[:last], 1)


def indent(line: str) -> int:
    """How many characters of white space a line begins with."""
    return len(line) - len(line.lstrip())
