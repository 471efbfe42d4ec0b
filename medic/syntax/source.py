"""A file's text with the way from its characters to its bytes, lines and columns."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from functools import cached_property

from medic.errors import Unreadable
from medic.run_config import Span
from medic.text.encodings import without_odd

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 100
# A training configuration has hundreds of values; what has more is data.
MAX_NODES = 50_000
_WIDE = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class SourceText:
    """UTF-8 text of one file. ``text`` has no byte order mark; offsets in spans count it.

    ``any_bytes``: a byte that is no UTF-8 reads as ``_`` (bash takes it as it is); ``odd`` is
    (offset in the body, byte) of the first one. Raises Unreadable for such a byte otherwise, for more than
    ``MAX_BYTES``, UTF-16 and UTF-32, or a NUL byte.
    """

    def __init__(self, data: bytes, file: str, *, any_bytes: bool = False) -> None:
        self.file = file
        self._nodes = 0
        self._behind: tuple[tuple[int, SourceText], ...] = ()
        if len(data) > MAX_BYTES:
            raise Unreadable(
                f"larger than {MAX_BYTES // 1024 // 1024} MiB",
                f"超过 {MAX_BYTES // 1024 // 1024} MiB",
                at=file,
            )
        self.data = data
        self.skipped = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        self.body = data[self.skipped :]
        self._refuse_other_encodings()
        self.odd: tuple[int, int] | None = None
        try:
            self.text = self.body.decode("utf-8")
        except UnicodeDecodeError as problem:
            octet = self.body[problem.start]
            line = self.body.count(b"\n", 0, problem.start) + 1
            if not any_bytes:
                raise Unreadable(
                    f"not UTF-8 text (byte 0x{octet:02x})",
                    f"不是 UTF-8 文本（字节 0x{octet:02x}）",
                    at=self.at(line),
                ) from None
            self.odd = problem.start, octet
            self.body = without_odd(self.body)
            self.text = self.body.decode("utf-8")

    def _refuse_other_encodings(self) -> None:
        for mark, name in _WIDE.items():
            if self.data.startswith(mark):
                raise Unreadable(
                    f"{name} text; save it as UTF-8",
                    f"{name} 编码，请另存为 UTF-8",
                    at=self.at(1),
                )
        nul = self.body.find(b"\0")
        if nul >= 0:
            line = self.body.count(b"\n", 0, nul) + 1
            raise Unreadable(
                "holds a NUL byte: not a text file",
                "含有 NUL 字节，不是文本文件",
                at=self.at(line),
            )

    def masked(self, body: bytes) -> SourceText:
        """The same file, of which only ``body``, as long as its own, is looked at."""
        from copy import copy  # few sources are masked

        other = copy(self)
        other.body = body
        return other

    # --- other files behind it --------------------------------------------------------------

    def followed_by(self, other: SourceText) -> tuple[SourceText, int]:
        """This text with another file's behind it, and the offset where that begins; offsets there
        have their place in the other file."""
        from copy import copy

        for start, one in self._behind:
            if one.file == other.file:
                return self, start
        both = copy(self)
        both.body = self.body + b"\n" + other.body
        both._behind = (*self._behind, (len(self.body) + 1, other))
        return both, len(self.body) + 1

    def own(self, octet: int) -> tuple[SourceText, int]:
        """The file in which an offset of the body lies, and where that file begins."""
        for start, one in reversed(self._behind):
            if octet >= start:
                return one, start
        return self, 0

    def offsets(self, span: Span) -> tuple[int, int]:
        """Where in the body a span of this file, or of one behind it, begins and ends."""
        for start, one in self._behind:
            if one.file == span.file:
                return start + span.start - one.skipped, start + span.end - one.skipped
        return span.start - self.skipped, span.end - self.skipped

    # --- positions --------------------------------------------------------------------------

    @cached_property
    def _ascii(self) -> bool:
        return len(self.text) == len(self.data) - self.skipped

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        """Start of every line in characters and in bytes of the body."""
        chars, octets = [0], [0]
        for line in self.text.split("\n")[:-1]:
            chars.append(chars[-1] + len(line) + 1)
            octets.append(octets[-1] + (len(line) if line.isascii() else len(line.encode())) + 1)
        return chars, octets

    def byte_of(self, char: int) -> int:
        """The offset in the body of a character of ``text``."""
        if self._ascii:
            return char
        chars, octets = self._lines
        row = bisect_right(chars, char) - 1
        return octets[row] + len(self.text[chars[row] : char].encode())

    def _place(self, octet: int) -> tuple[int, int]:
        """1-based line and column, in characters, of an offset in the body."""
        _, octets = self._lines
        row = bisect_right(octets, octet) - 1
        start = octets[row]
        before = (
            octet - start
            if self._ascii
            else len(
                self.data[start + self.skipped : octet + self.skipped].decode("utf-8", "replace")
            )
        )
        return row + 1, before + 1

    def span(self, start: int, end: int) -> Span:
        """The span of bytes ``start`` to ``end`` of the body."""
        if self._behind:
            one, first = self.own(start)
            if one is not self:
                return one.span(start - first, min(end - first, len(one.body)))
            end = max(start, min(end, self._behind[0][0] - 1))
        line, column = self._place(start)
        end_line, end_column = self._place(end)
        skip = self.skipped
        return Span(self.file, start + skip, end + skip, line, column, end_line, end_column)

    def char_span(self, start: int, end: int) -> Span:
        return self.span(self.byte_of(start), self.byte_of(end))

    def raw(self, span: Span) -> str:
        """The text as written at a span of this file, or of one behind it."""
        for _, one in self._behind:
            if one.file == span.file:
                return one.raw(span)
        return self.data[span.start : span.end].decode("utf-8", "replace")

    def at(self, line: int) -> str:
        return f"{self.file}:{line}"

    def count(self, span: Span) -> None:
        """Counts one node. Raises Unreadable above ``MAX_NODES``."""
        self._nodes += 1
        self.count_all(self._nodes, span.line)

    def count_all(self, nodes: int, line: int = 1) -> None:
        """Raises Unreadable for more than ``MAX_NODES`` nodes."""
        if nodes > MAX_NODES:
            raise Unreadable(
                f"more than {MAX_NODES:,} values: not a configuration",
                f"超过 {MAX_NODES:,} 个值，不像配置文件",
                at=self.at(line),
            )

    def too_deep(self, line: int) -> Unreadable:
        return Unreadable(
            f"nested too deep (more than {MAX_DEPTH} levels)",
            f"嵌套过深（超过 {MAX_DEPTH} 层）",
            at=self.at(line),
        )
