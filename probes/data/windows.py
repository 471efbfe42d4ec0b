"""The bytes of a data file that are looked at: all of a small one, parts of a large one."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from medic.i18n import Text
from medic.records import dataclass

MIB = 1024 * 1024
WHOLE = 64 * MIB  # about a second of JSON
PART = 8 * MIB  # of the head, the middle and the tail of a larger file
COUNTED = 1024 * MIB  # bytes in which newlines are counted, for line numbers behind the head
CHUNK = MIB
MAX_LINE = 16 * MIB  # a record of more is no sample


@dataclass(frozen=True)
class Line:
    """One line: ``number`` is 1-based, or None where it was not counted; ``offset`` in bytes.

    ``cut``: it reaches the end of the file without a newline.
    """

    number: int | None
    offset: int
    data: bytes
    cut: bool = False

    @property
    def place(self) -> str:
        return f"line {self.number:,}" if self.number else f"byte {self.offset:,}"


@dataclass(frozen=True)
class Part:
    """A stretch of a file. ``number``: the line that ``start`` lies in, where it is known."""

    start: int
    end: int
    number: int | None


def parts(file: BinaryIO, size: int) -> list[Part]:
    """What of a file is read: all, or its head, middle and tail."""
    if size <= WHOLE:
        return [Part(0, size, 1)]
    middle = size // 2 - PART // 2
    tail = size - PART
    counts = _lines_before(file, (middle, tail)) if size <= COUNTED else (None, None)
    return [
        Part(0, PART, 1),
        Part(middle, middle + PART, counts[0]),
        Part(tail, size, counts[1]),
    ]


def sampled(size: int) -> Text | None:
    """What was read of a large file; None for all."""
    if size <= WHOLE:
        return None
    words = Text(
        "head, middle, tail: {part} of {all} MiB", "开头、中间、结尾：{all} MiB 中的 {part} MiB"
    )
    return words.fill(part=f"{3 * PART // MIB:,}", all=f"{size // MIB:,}")


def head_only(count: str) -> Text:
    """Only the beginning was read: ``count`` with its unit."""
    return Text(f"head: {count}", f"仅开头：{count}")


def _lines_before(file: BinaryIO, offsets: tuple[int, int]) -> tuple[int | None, int | None]:
    """The 1-based line numbers at two offsets, in order."""
    found = []
    at, line = 0, 1
    file.seek(0)
    for offset in offsets:
        while at < offset:
            chunk = file.read(min(CHUNK, offset - at))
            if not chunk:
                break
            line += chunk.count(b"\n")
            at += len(chunk)
        found.append(line)
    return found[0], found[1]


def lines(file: BinaryIO, part: Part, size: int) -> Iterator[Line]:
    """Whole lines that begin inside the part; the first one of a later part is half and skipped.

    A line longer than 16 MiB is given cut to that.
    """
    file.seek(part.start)
    data = file.read(part.end - part.start)
    at, number = 0, part.number
    if not data.strip(b"\0"):
        if data:  # a hole of the file system: what was meant for it was never written
            yield Line(number, part.start, b"\0")
        return
    if part.start:
        at = data.find(b"\n") + 1
        if at == 0:
            return
        number = None if number is None else number + 1
    while at < len(data):
        end = data.find(b"\n", at)
        last = end < 0
        if last and part.end < size:
            return  # its rest lies outside the part
        stop = len(data) if last else end
        yield Line(number, part.start + at, data[at : min(stop, at + MAX_LINE)], cut=last)
        at = stop + 1
        number = None if number is None else number + 1


def lines_of(data: bytes, whole: bool) -> Iterator[Line]:
    """The lines of bytes from the start of a file; the last one only if they are all of it."""
    at, number = 0, 1
    while at < len(data):
        end = data.find(b"\n", at)
        if end < 0 and not whole:
            return
        stop = len(data) if end < 0 else end
        yield Line(number, at, data[at : min(stop, at + MAX_LINE)], cut=end < 0)
        at, number = stop + 1, number + 1


def unpacked(file: BinaryIO) -> tuple[bytes, bool, str]:
    """(first bytes of a gzip file, whether that is all, what is wrong with it or "")."""
    found: list[bytes] = []
    have = 0
    try:
        with gzip.GzipFile(fileobj=file) as inner:
            while have <= WHOLE:
                chunk = inner.read(CHUNK)
                if not chunk:
                    return b"".join(found), True, ""
                found.append(chunk)
                have += len(chunk)
    except (OSError, EOFError, zlib.error) as problem:
        return b"".join(found), True, str(problem)[:200] or type(problem).__name__
    return b"".join(found), False, ""
