"""Edits of one flag of a command where it stands: its value, or the whole of it."""

from __future__ import annotations

from medic.edits.scalars import render
from medic.edits.shell import gap_before
from medic.edits.sources import Sources
from medic.edits.trees import FLAG, command_of, flag_of, flags_of_literal
from medic.errors import EditRefused
from medic.facts import Command, Document, Word
from medic.records import dataclass, replace
from medic.run_config import Scalar, Span
from medic.text.patterns import regex

SHARED = ("other flags use the variable as well", "该变量还用于其他选项")
_SCRIPT = regex(r"\.py$")
_NUMBER = regex(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class FlagAt:
    """A flag of a command: its word, and the words of its values behind it."""

    command: Command
    word: Word
    name: str
    values: tuple[Word, ...]


def flag_at(document: Document, span: Span) -> FlagAt | None:
    """The flag that a span is the word or the value of."""
    found = command_of(document, span)
    flag = flag_of(*found) if found else None
    if found is None or flag is None:
        return None
    command, (word, name) = found[0], flag
    values: list[Word] = []
    if "=" not in word.text and span != word.span:
        for other in command.words[command.words.index(word) + 1 :]:
            if FLAG.match(other.text) or _SCRIPT.search(other.text):
                break
            values.append(other)
    return FlagAt(command, word, name, tuple(values))


def remove_flag(found: FlagAt, sources: Sources) -> None:
    """Takes out the flag with its values. Raises EditRefused where these may be another's."""
    file, data = found.word.span.file, sources.data(found.word.span.file)
    several = len(found.values) > 1
    if several and not all(_NUMBER.fullmatch(v.text) for v in found.values):
        raise EditRefused("where its values end is not clear", "取值到哪里为止不明确")
    last = found.values[-1] if found.values else found.word
    if last.span.file != file or last.span.end < found.word.span.start:
        raise EditRefused("it comes from a variable", "来自变量")
    if data[found.word.span.start : found.word.span.end] != found.word.raw.encode():
        raise EditRefused("it comes from a variable", "来自变量")
    take_out(file, data, found.word.span.start, last.span.end, sources)


def take_out(file: str, data: bytes, start: int, end: int, sources: Sources) -> None:
    """Removes words with the gap before them, or the space after where a line would be joined."""
    gap = gap_before(data, start)
    line = data[end:].split(b"\n", 1)[0].strip()
    if gap and ("\n" not in gap or line in (b"", b"\\")):
        sources.add(file, start - len(gap.encode()), end, "")
        return
    after = len(data[end:]) - len(data[end:].lstrip(b" \t"))
    sources.add(file, start, end + after, "")


def rewrite_flag(
    found: FlagAt, span: Span, written: Scalar, document: Document, sources: Sources
) -> None:
    """Gives the flag another value where its old one stands. Raises EditRefused."""
    raw = sources.raw(span)
    if span == found.word.span and "=" not in raw:
        if written is True:
            return
        if written is False:
            remove_flag(found, sources)
            return
        raise EditRefused("a flag without a value", "该选项没有取值")
    if span == found.word.span:  # the whole of --flag=value
        skip = len(found.name.encode()) + 1
        span = replace(span, start=span.start + skip, column=span.column + len(found.name) + 1)
        raw = raw[len(found.name) + 1 :]
    if "$" in raw or "`" in raw:
        raise EditRefused(f"computed by the shell: {raw}", f"由 shell 计算得到：{raw}")
    if len(flags_of_literal(document, span)) > 1:
        raise EditRefused(*SHARED)
    sources.add(span.file, span.start, span.end, render(written, raw, "shell"))
