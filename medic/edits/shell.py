"""Edits that add a flag to a command, in the way its other flags stand."""

from __future__ import annotations

from medic.edits.places import Place
from medic.edits.scalars import render
from medic.edits.sources import Sources
from medic.edits.trees import FLAG, command_of, flag_of
from medic.errors import EditRefused
from medic.facts import Command, Document, Word
from medic.run_config import Scalar
from medic.text.patterns import regex

_GAP = regex(rb"(?:[ \t]|\\\r?\n|\r?\n)*\Z")
_GAP_BYTES = 1024
_COMMENT = regex(rb"[ \t]+#[^\r\n]*")  # in a list of flags, behind one of them


def insert_flag(place: Place, written: Scalar, document: Document, sources: Sources) -> None:
    """After the last flag of the command. In a list of flags, and among the launcher's own
    options before the script: after the relative there.
    """
    span = place.beside.span
    found = command_of(document, span, place.beside.key) if span is not None else None
    beside = flag_of(*found) if found else None
    if found is None or beside is None:
        raise EditRefused("the command is not found", "找不到对应的命令")
    command, index = found
    data = sources.data(place.file)
    word, last = beside[0], command.words[index]
    if _inside(command, last) and not place.at_launcher:
        word, last = _end(command, word, last)
    gap = gap_before(data, word.span.start) or " "
    text = _text(place.path[-1], written, beside, command.words[index])
    at = last.span.end
    if gap.startswith(("\n", "\r\n")) and (comment := _COMMENT.match(data, at)):
        at = comment.end()
    sources.add(place.file, at, at, f"{gap}{text}")


def _inside(command: Command, word: Word) -> bool:
    """Whether a word is written in the command itself, not in a variable that it uses."""
    span = command.span
    return span.start <= word.span.start and word.span.end <= span.end


def _end(command: Command, flag: Word, last: Word) -> tuple[Word, Word]:
    """(last flag, last word) that are written in the command."""
    own = [w for w in command.words if _inside(command, w)]
    flags = [w for w in own if FLAG.match(w.value or w.raw) or "=" in w.raw]
    return (flags[-1] if flags else flag), (own[-1] if own else last)


def gap_before(data: bytes, at: int) -> str:
    """The space, line continuation or line end before a word."""
    found = _GAP.search(data, max(0, at - _GAP_BYTES), at)
    return data[found.start() : at].decode() if found else ""


def _text(name: str, written: Scalar, beside: tuple[Word, str], value: Word) -> str:
    """``--name value``, ``--name=value``, ``name=value``, or ``--name`` for a switch."""
    word, flag = beside
    if isinstance(written, bool) and flag.startswith("-"):
        if not written:
            raise EditRefused("a switch is off when it is not there", "开关不写即为关闭")
        return name
    joined = word is value and "=" in (word.value or word.raw)
    return f"{name}{'=' if joined else ' '}{render(written, '', 'shell')}"
