"""What the terminal hands over as pasted, whole and in order, whatever stands in it.

Textual's parser reads an escape sequence within a paste as keys: lines of a coloured log would come
apart, and behind the keys. Here it is handed the marks of a paste alone.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.driver import Driver
from textual.message import Message

PARSER = "XTermParser"  # as the modules of Textual's drivers name what they make


class PasteParser(XTermParser):
    """Keys as Textual reads them, and every paste as one event with its text as it came."""

    def __init__(self, debug: bool = False) -> None:
        self._pasted: list[str] | None = None  # the pieces of the paste that is coming in
        self._tail = ""  # of what came last: a mark may come in two reads
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        if not data:  # the end of the input
            yield from self._paste() if self._pasted is not None else ()
            yield from super().feed(data)
        while data:
            if self._pasted is None:
                data = yield from self._keys(data)
            else:
                data = yield from self._text(self._pasted, data)

    def _keys(self, data: str) -> Generator[Message, None, str]:
        """Feeds what stands before a paste, with its first mark; returns what is behind it."""
        end = _behind(BRACKETED_PASTE_START, self._tail, data)
        if end is None:
            self._tail = _last(self._tail + data, BRACKETED_PASTE_START)
            yield from super().feed(data)
            return ""
        self._tail, self._pasted = "", []
        yield from super().feed(data[:end])
        return data[end:]

    def _text(self, pasted: list[str], data: str) -> Generator[Message, None, str]:
        """Takes what belongs to the paste; returns what is behind its last mark."""
        end = _behind(BRACKETED_PASTE_END, self._tail, data)
        if end is None:
            self._tail = _last(self._tail + data, BRACKETED_PASTE_END)
            pasted.append(data)
            return ""
        pasted.append(data[:end])
        yield from self._paste()
        return data[end:]

    def _paste(self) -> Iterable[Message]:
        text = "".join(self._pasted or ()).removesuffix(BRACKETED_PASTE_END)
        self._pasted, self._tail = None, ""
        for message in super().feed(BRACKETED_PASTE_END):
            if not isinstance(message, events.Paste):  # Textual's own, of nothing
                yield message
        yield events.Paste(text.replace("\x00", ""))


def _last(text: str, mark: str) -> str:
    """The end of a text, in which a mark may have begun."""
    return text[1 - len(mark) :]


def _behind(mark: str, tail: str, data: str) -> int | None:
    """Where a mark has ended that may have begun in what was read before, else None."""
    at = (tail + data).find(mark)
    return None if at < 0 else at + len(mark) - len(tail)


def take_whole(driver: type[Driver]) -> None:
    """Lets a driver of Textual read with this parser. One that reads otherwise stays as it is."""
    module = sys.modules[driver.__module__]
    if getattr(module, PARSER, None) is XTermParser:
        setattr(module, PARSER, PasteParser)
