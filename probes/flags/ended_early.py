"""A ``;`` or ``&`` inside a command, which ends it: ``--split 949;50;1``, ``--epochs 3; --lr 1``."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Document
from medic.i18n import Text
from medic.text.patterns import regex

from .cuts import Cut
from .script_text import ScriptText

# No program is called so: a number, or an option.
_NO_PROGRAM = regex(r"\d[\d.]*|--?[A-Za-z][\w.-]*(?:=.*)?")
_SIGNS = (";", "&")
_PAIRS = (";;", "&&", ";&")
_ENDS = Text(
    "{sign} ends the command here, and bash takes {word} for a program of its own: quotes keep both together",
    "{sign} 在此结束了命令，bash 会把 {word} 当作另一个程序；加引号可使其成为一体",
)
_ENDS_FLAGS = Text(
    "{sign} ends the command here, and bash takes {word} for a program of its own",
    "{sign} 在此结束了命令，bash 会把 {word} 当作另一个程序",
)


def ended_early(script: ScriptText, document: Document) -> Iterator[Cut]:
    """The first of each line."""
    told: set[int] = set()
    for command in document.every_command:
        span = command.words[0].span if command.words else None
        word = command.words[0].value if command.words else None
        if span is None or word is None or span.file != script.file or span.line in told:
            continue
        text = script.line_text(span.line)
        before = text[: span.column - 1].rstrip()
        written = text[span.column - 1 :].startswith(word)  # not what a variable or a quote holds
        if not written or not _NO_PROGRAM.fullmatch(word):
            continue
        if not before.endswith(_SIGNS) or before.endswith(_PAIRS):
            continue
        told.add(span.line)
        what = _ENDS if word[0].isdigit() else _ENDS_FLAGS
        said = what.fill(sign=before[-1], word=word)
        yield Cut(span.line, len(before), len(before) + 1, said)
