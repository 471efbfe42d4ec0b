"""Bounded reading of a checkpoint's bytes, and the ways in which a file is not read."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from medic.errors import Unreadable
from medic.probe import Look

# Headers only are read, at most a few MB of them, so the size of a file is no reason to refuse it.
ANY_SIZE = 1 << 60
CHUNK = 256 * 1024
LINE = 16 * 1024


class Damaged(Unreadable):
    """The file's own bytes are wrong: cut off, contradictory, or zeroed. Loading it fails too."""


class PointerFile(Unreadable):
    """A git-lfs pointer or a web page stands where the file should be."""


class UnknownFormat(Unreadable):
    """Nothing that medic knows as a checkpoint."""


def open_file(look: Look, path: str) -> BinaryIO:
    """A regular file for random access. Raises Unreadable for anything else, never blocks."""
    try:
        mode = Path(path).stat().st_mode
    except OSError as problem:
        words = problem.strerror or "cannot be opened"
        raise Unreadable(words, words) from None
    # Files of /proc and /sys call themselves regular; /proc/kcore claims 128 TB.
    kernel = Path(path).resolve().parts[1:2] in (("proc",), ("sys",))
    if not stat.S_ISREG(mode) or kernel:
        raise Unreadable("not a regular file", "不是普通文件")
    return look.open(path, limit=ANY_SIZE)


@contextmanager
def named(name: str) -> Iterator[None]:
    """What cannot be read inside is told under this name, unless an inner one named it."""
    try:
        yield
    except Unreadable as problem:
        problem.at = problem.at or name
        raise


def size_of(file: BinaryIO) -> int:
    return file.seek(0, 2)


def truncated(at: int) -> Damaged:
    return Damaged(f"truncated at byte {at:,}", f"在第 {at:,} 字节处被截断")


class Stream:
    """Bytes read in order from ``chunks``; what a length field claims is checked before reading.

    ``size`` is the number of bytes there are, ``budget`` how many may be read. Offers what
    ``pickletools.genops`` asks of a file. Raises Damaged where the bytes end too early and
    Unreadable where the budget ends.
    """

    def __init__(self, chunks: Iterator[bytes], size: int, budget: int, start: int = 0) -> None:
        self._chunks = chunks
        self._end = start + size
        self._limit = start + budget
        self._buffer = b""
        self._base = start  # where the buffer begins
        self._at = 0

    def tell(self) -> int:
        return self._base + self._at

    def read(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._buffer):
            self._fill(count)
            end = self._at + count
        piece = self._buffer[self._at : end]
        self._at = end
        return piece

    def readline(self) -> bytes:
        """Up to and with the next newline, at most 16 KiB."""
        while True:
            end = self._buffer.find(b"\n", self._at)
            if end >= 0:
                return self.read(end + 1 - self._at)
            have = len(self._buffer) - self._at
            if have > LINE:
                raise Damaged("a line that does not end", "存在没有结尾的行")
            self._fill(have + 1)

    def drain(self) -> None:
        """Reads what is left, for a checksum."""
        for _ in self._chunks:
            pass

    def _fill(self, count: int) -> None:
        wanted = self.tell() + count
        if wanted > self._limit < self._end:
            raise over_budget(self._limit)
        if wanted > self._end:
            raise truncated(self._end)
        parts = [self._buffer[self._at :]]
        have = len(parts[0])
        while have < count:
            chunk = next(self._chunks, b"")
            if not chunk:
                raise truncated(self.tell() + have)
            parts.append(chunk)
            have += len(chunk)
        self._base = self.tell()
        self._buffer, self._at = b"".join(parts), 0


def over_budget(limit: int) -> Unreadable:
    return Unreadable(
        f"its description needs more than {limit:,} bytes", f"描述信息超过 {limit:,} 字节"
    )


def file_chunks(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    """The bytes from ``start``, ``size`` of them or as many as there are."""
    left = size
    while left > 0:
        file.seek(start)
        chunk = file.read(min(CHUNK, left))
        if not chunk:
            return
        start += len(chunk)
        left -= len(chunk)
        yield chunk


def file_stream(file: BinaryIO, start: int, size: int, budget: int) -> Stream:
    return Stream(file_chunks(file, start, size), size, budget, start)


def read_all(file: BinaryIO, limit: int) -> bytes:
    """A small file as a whole. Raises Unreadable above ``limit`` bytes."""
    size = size_of(file)
    if size > limit:
        raise Unreadable(f"larger than {limit:,} bytes", f"超过 {limit:,} 字节")
    file.seek(0)
    return file.read(limit)
