"""The parser's events of a YAML file as most are written: keys, plain and quoted words, block lists.

To import PyYAML takes as long as to start the interpreter. What this does not know for certain (anchors,
tags, flow, words over several lines, tabs, a second document) it leaves to PyYAML, and a file with a
mistake, too.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from medic.text.patterns import regex

Kind = Literal["scalar", "mapping", "sequence", "end"]
MOST = 100  # characters of a key
_KEY = regex(r"([A-Za-z_][A-Za-z0-9_./-]*):(?: +|$)")
_DASH = regex(r"-(?: +|$)")
# Words of one line; "#" only begins a comment, ":" never ends a word.
_WORD = r"(?:[^\s#:]|:(?=[^\s#:]))+"
_VALUE = regex(
    rf"""("[^"\\]*"|'[^']*'|(?:[A-Za-z0-9_./~+]|-(?=\S))(?:{_WORD})?(?: {_WORD})*)?(?: +#.*| *)$"""
)


class Mark:
    __slots__ = ("index", "line")

    def __init__(self, index: int, line: int) -> None:
        self.index, self.line = index, line


class Event(NamedTuple):
    """With the names of PyYAML's events."""

    start_mark: Mark
    end_mark: Mark
    value: str = ""
    style: str | None = None
    anchor: None = None
    tag: None = None
    flow_style: bool = False


class _Block(NamedTuple):
    kind: Kind
    column: int


class _UnsureError(Exception):
    """PyYAML has to say."""


class _Reader:
    def __init__(self) -> None:
        self.events: list[tuple[Kind, Event]] = []
        self.open: list[_Block] = []
        self.waiting: Mark | None = Mark(0, 0)  # behind a key or a dash whose value is to come
        self.keyed = False  # it was a key

    def token(self, kind: Kind, column: int, mark: Mark) -> None:
        """A key or a dash: in the block that is open, in one of its own, or in one further out."""
        inner = self.open[-1].column if self.open else -1
        if self.waiting is not None:
            beside = self.keyed and kind == "sequence" and column == inner
            if column > inner or beside:
                self.open.append(_Block(kind, column))
                self.events.append((kind, Event(mark, mark)))
                self.waiting = None
                return
            self.nothing()
        while self.open and (
            self.open[-1].column > column
            or (self.open[-1].column == column and self.open[-1].kind != kind)
        ):
            self.close(mark)
        if not self.open or self.open[-1] != (kind, column):
            raise _UnsureError

    def nothing(self) -> None:
        """No value came."""
        if self.waiting is not None:
            self.events.append(("scalar", Event(self.waiting, self.waiting)))
            self.waiting = None

    def close(self, mark: Mark) -> None:
        self.open.pop()
        self.events.append(("end", Event(mark, mark)))

    def line(self, text: str, start: int, number: int) -> None:
        """A line with something in it, that begins at character ``start``."""
        at = len(text) - len(text.lstrip(" "))
        while dash := _DASH.match(text, at):
            self.token("sequence", at, Mark(start + at, number))
            self.waiting, self.keyed = Mark(start + at + 1, number), False
            at = dash.end()
        key = _KEY.match(text, at)
        if key is not None and len(key[1]) < MOST:
            mark, end = Mark(start + at, number), Mark(start + key.end(1), number)
            self.token("mapping", at, mark)
            self.events.append(("scalar", Event(mark, end, key[1])))
            self.waiting, self.keyed = Mark(end.index + 1, number), True
            at = key.end()
        value = _VALUE.match(text, at)
        fresh = self.waiting is not None and self.waiting.line == number and bool(self.open)
        if value is None or not fresh:  # words on a line of their own go on with those above
            raise _UnsureError
        if value[1]:
            self.value(value[1], start + at, number)

    def value(self, word: str, start: int, number: int) -> None:
        quote = word[0] if word[0] in "\"'" else None
        begin, end = Mark(start, number), Mark(start + len(word), number)
        self.events.append(("scalar", Event(begin, end, word[1:-1] if quote else word, quote)))
        self.waiting = None


def plain_events(text: str) -> list[tuple[Kind, Event]] | None:
    """The events of the file's blocks and scalars; None where PyYAML has to read it."""
    if not text.replace("\n", "").isprintable():
        return None
    reader, start = _Reader(), 0
    try:
        for number, line in enumerate(text.split("\n")):
            words = line.lstrip(" ")
            if words and words[0] != "#":
                reader.line(line, start, number)
            start += len(line) + 1
    except _UnsureError:
        return None
    reader.nothing()
    while reader.open:
        reader.close(Mark(len(text), 0))
    return reader.events if len(reader.events) > 1 else None
