"""Log bytes in newline-aligned blocks: bounded memory, decompressed, one snapshot of the file."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from medic.errors import Unreadable
from medic.i18n import Text
from medic.match.clean import clean
from medic.match.formats import chunks, opener, require_text, utf16
from medic.match.own_output import OwnOutput
from medic.records import dataclass, field
from medic.text.encodings import utf8
from medic.text.holes import next_data, stored

BLOCK = 64 * 1024
CHUNK = 256 * 1024  # bytes: of more, which no cache of a processor holds, each takes a third longer
STARTS = 1024 * 1024  # bytes between lines whose places are kept
LINE_LIMIT = 64 * 1024
SNIFF = 8 * 1024
NEAR_START, LONG_LINES = 1024, 32  # bytes that tell how long lines are; bytes of a long line

# What a note's key means, for the report.
# Of these: a run that goes on writes, and medic's own words tell of no run.
ASIDE = frozenset({"grew", "hole", "own-output"})
NOTES: Mapping[str, Text] = {
    "head-and-tail": Text(
        "only its beginning and end were read (--all reads on)",
        "只读了开头和结尾（--all 可全部读取）",
    ),
    "inflate-limit": Text(
        "read up to the limit for decompressed bytes", "解压后的字节数达到上限，后面未读"
    ),
    "compressed-end": Text("the compressed file ends early", "压缩文件不完整，提前结束"),
    "grew": Text(
        "it grew while it was read; what was added is not read", "读取期间文件变长，新增部分未读"
    ),
    "shrank": Text("it was cut while it was read", "读取期间文件被截断"),
    "long-lines": Text("lines were cut at 64 KiB", "超过 64 KiB 的行已截断"),
    "hole": Text("a hole of zero bytes was passed over", "其中一段全零的空洞已跳过"),
    "own-output": Text(
        "lines that medic itself printed are no evidence and were passed over",
        "其中 medic 自己输出的内容不作为证据，已跳过",
    ),
}


@dataclass(frozen=True)
class Limits:
    """Bytes read of one log. Beyond ``whole`` only ``head`` and ``tail`` are read."""

    whole: int = 4 << 30
    head: int = 256 << 20
    tail: int = 2 << 30
    inflated: int = 1 << 30  # of a compressed log, after decompression


@dataclass(frozen=True)
class Block:
    """Whole lines, at most 64 KiB. ``line`` is the number of the first one; 0 if unknown.

    ``place`` orders lines where their numbers are unknown.
    """

    data: bytes
    line: int
    place: int


@dataclass
class Reading:
    """How far a log was read, and what was left out (keys of ``NOTES``)."""

    bytes: int = 0
    lines: int = 0
    notes: list[str] = field(default_factory=list)
    starts: list[tuple[int, int]] = field(default_factory=list)  # (byte, number) of some lines
    hole: int = 0  # zero bytes passed over since the last chunk

    def note(self, key: str) -> None:
        if key not in self.notes:
            self.notes.append(key)


def blocks(
    file: BinaryIO,
    name: str,
    reading: Reading,
    limits: Limits | None = None,
    *,
    all_of_it: bool = False,
) -> Iterator[Block]:
    """The lines of a log. Raises Unreadable if it is no text or cannot be decompressed here."""
    limits = limits or Limits()
    size = _size(file)
    head = file.read(SNIFF if size is None else min(SNIFF, size))
    unpack = opener(head, name)
    if unpack is not None:
        # A decompressor needs a seekable file or its own view of the bytes from the start.
        plain = unpack(_rewound(file, head))
        yield from _split(_inflated(plain, name, reading, limits.inflated), reading)
        return
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield from _split(utf16(head, file), reading)
        return
    require_text(head, name)
    if size is None or all_of_it or size <= limits.whole or stored(file, size) <= limits.whole:
        yield from _split(_snapshot(head, file, size, reading), reading)
        return
    reading.note("head-and-tail")
    yield from _split(_snapshot(head, file, limits.head, reading, grows=False), reading)
    file.seek(size - limits.tail)
    yield from _split(_snapshot(b"", file, limits.tail, reading, grows=False), reading, known=False)


def _size(file: BinaryIO) -> int | None:
    """The size at open: what is written later is not read."""
    try:
        return os.fstat(file.fileno()).st_size
    except (OSError, io.UnsupportedOperation, AttributeError):
        pass
    try:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
    except (OSError, io.UnsupportedOperation):
        return None
    return size


def _rewound(file: BinaryIO, head: bytes) -> BinaryIO:
    try:
        file.seek(-len(head), os.SEEK_CUR)
    except (OSError, io.UnsupportedOperation):
        return io.BytesIO(head + file.read())
    return file


def _snapshot(
    head: bytes, file: BinaryIO, size: int | None, reading: Reading, *, grows: bool = True
) -> Iterator[bytes]:
    """Chunks up to ``size`` bytes in all, whatever happens to the file meanwhile."""
    head = head[:size]
    done = len(head)
    if text := _without_nul(head, reading):
        yield text
    while size is None or done < size:
        chunk = file.read(CHUNK if size is None else min(CHUNK, size - done))
        if not chunk:
            if size is not None:
                reading.note("shrank")
            break
        done += len(chunk)
        if text := _without_nul(chunk, reading):
            yield text
        elif size is not None:
            done = _past_hole(file, done, size, reading)
    reading.bytes += done
    if grows and size is not None and done == size and file.read(1):
        reading.note("grew")


def _without_nul(chunk: bytes, reading: Reading) -> bytes:
    if b"\0" not in chunk:
        return chunk
    text = chunk.replace(b"\0", b"")
    reading.hole += len(chunk) - len(text)
    return text


def _past_hole(file: BinaryIO, done: int, size: int, reading: Reading) -> int:
    """How many bytes of the snapshot are done when a hole that begins in them is passed over."""
    reading.note("hole")
    here = file.tell()
    more = min(next_data(file, here) - here, size - done)
    if more > 0:
        file.seek(here + more)
        reading.hole += more
    return done + max(more, 0)


def _inflated(plain: BinaryIO, name: str, reading: Reading, limit: int) -> Iterator[bytes]:
    """Decompressed chunks within a byte budget; a broken end keeps what came before it."""
    done = 0
    for chunk, broken in chunks(plain, limit):
        if not done:
            if broken and not chunk:
                raise Unreadable("cannot be decompressed", "无法解压", at=name)
            require_text(chunk[:SNIFF], name)
        if broken:
            reading.note("compressed-end")
        done += len(chunk)
        yield chunk
    if done >= limit:
        reading.note("inflate-limit")
    reading.bytes += done


# --- lines ----------------------------------------------------------------------------------


def _split(chunks: Iterator[bytes], reading: Reading, *, known: bool = True) -> Iterator[Block]:
    """Newline-aligned blocks; of a line beyond the limit only its beginning."""
    carry, cutting = b"", False
    first, place = reading.lines + 1, reading.lines + 1
    if not known:
        place += 1 << 40
    start, offset, shifted, due = place, 0, False, 0
    own = OwnOutput()

    def block(data: bytes) -> Block:
        data = own.without(utf8(data))
        if own.seen:
            reading.note("own-output")
        return Block(data, first + place - start if known else 0, place)

    for chunk in chunks:
        data = chunk
        hole, reading.hole = reading.hole, 0
        # Of a line with a hole in it the beginning is not known.
        shifted = bool(carry) and (shifted or hole > 0)
        if known and not cutting and not hole and not shifted and offset >= due:
            reading.starts.append((offset - len(carry), place))
            due = offset + STARTS
        shifted = shifted or hole > 0
        offset += len(chunk) + hole
        if cutting:
            end = data.find(b"\n")
            if end < 0:
                continue
            data, cutting = data[end + 1 :], False
            place += 1
        data = carry + data if carry else data
        carry = b""
        for piece, long in _pieces(data):
            if piece.endswith(b"\n"):
                yield block(piece)
                place += _newlines(piece)
            elif long:
                reading.note("long-lines")
                yield block(piece)
                place += 1
            elif len(piece) > LINE_LIMIT:
                reading.note("long-lines")
                yield block(piece[:LINE_LIMIT])
                cutting = True
            else:
                carry = piece
    if carry:
        yield block(carry)
    reading.lines += place - start + bool(carry or cutting)


def _pieces(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """(bytes, whether it is the cut beginning of a long line) in blocks; the rest comes last."""
    position, last = 0, data.rfind(b"\n") + 1
    while position < last:
        stop = last
        if last - position > BLOCK:
            stop = data.rfind(b"\n", position, position + BLOCK) + 1
        if stop <= position:
            yield data[position : position + LINE_LIMIT], True
            position = data.find(b"\n", position + LINE_LIMIT) + 1
        else:
            yield data[position:stop], False
            position = stop
    if position < len(data):
        yield data[position:], False


def _newlines(data: bytes) -> int:
    """How many there are. ``bytes.count`` takes the time of every byte, a deletion that of every
    line: a fifth of it where lines are as long as those of logs."""
    start = data[:NEAR_START]
    if start.count(b"\n") * LONG_LINES > len(start):
        return data.count(b"\n")
    return len(data) - len(data.replace(b"\n", b""))


def iter_lines(file: BinaryIO, name: str, errors: str = "replace") -> Iterator[tuple[int, str]]:
    """(line number, text) of a log: decompressed, cut at 64 KiB, escapes stripped.

    Line numbers count newlines, as an editor does; 0 where they are unknown. ``errors``: what
    bytes that are no text become, as of ``bytes.decode``.
    """
    for block in blocks(file, name, Reading()):
        for offset, raw in enumerate(block.data.removesuffix(b"\n").split(b"\n")):
            yield block.line + offset if block.line else 0, clean(raw.rstrip(b"\r"), errors)
