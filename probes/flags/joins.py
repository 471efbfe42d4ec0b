"""The repair of a command that ends too early: its lines joined, nothing of them lost."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Repair, Respelt
from medic.i18n import Text
from medic.run_config import Edit
from medic.text.patterns import regex

from .cuts import Cut, is_empty
from .script_text import ScriptText

_ODD_END = regex(r"\s+/$|(?<=\\)\\$|\s*;[ \t]*\\$")
_JOINED = Text(
    "every line continues, comments stand above the command", "各行都续上，注释移到命令之前"
)


def rejoined(script: ScriptText, cut: Cut) -> Repair | None:
    """From the cut to the next line with words: one backslash at the end, nothing in between.

    Comments in between go above the command. None where a comment ends the line itself.
    """
    above = cut.line
    while above > 1 and is_empty(script.line_text(above)):
        above -= 1
    between = above + 1
    while between <= len(script.lines) and is_empty(script.line_text(between)):
        between += 1
    if between > len(script.lines) or " #" in script.line_text(above):
        return None
    edits = [*_ended(script, above), *_moved_up(script, above, between)]
    return Repair((Respelt(tuple(edits), joins=True),), safe=True, why=_JOINED)


def _ended(script: ScriptText, number: int) -> Iterator[Edit]:
    """The line with a backslash, and nothing behind it."""
    line = script.line_text(number)
    words = _ODD_END.sub("", line.rstrip())
    sign = "" if words.endswith("\\") else " \\"
    if line == words + sign:
        return
    span = script.span(number, len(words) + 1, len(line) + 1)
    yield Edit(script.file, span.start, span.end, sign)


def _moved_up(script: ScriptText, above: int, end: int) -> Iterator[Edit]:
    """Lines ``above + 1`` to ``end`` are taken out, their comments put above the command."""
    if end == above + 1:
        return
    first = above
    while first > 1 and script.line_text(first - 1).endswith("\\"):
        first -= 1
    here = script.line_text(first)
    indent = here[: len(here) - len(here.lstrip())]
    start, after = script.span(above + 1, 1, 1).start, script.span(end, 1, 1).start
    head = script.span(first, 1, 1).start
    written = script.text.encode()[start:after].decode()
    comments = [line.strip() for line in written.split("\n") if line.strip()]
    ending = "\r\n" if "\r\n" in script.text else "\n"
    if comments:
        text = "".join(f"{indent}{line}{ending}" for line in comments)
        yield Edit(script.file, head, head, text)
    yield Edit(script.file, start, after, "")
