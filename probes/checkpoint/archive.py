"""The directory of a zip file, read with limits: what zipfile would trust is checked here.

Format: PKWARE APPNOTE 6.3.9, sections 4.3.7 to 4.3.16 (zip64 included).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from medic.errors import Unreadable
from medic.records import dataclass

from .source import CHUNK, Damaged, Stream, file_chunks, truncated

END = struct.Struct("<4s4H2LH")
END64 = struct.Struct("<4sQ2H2L4Q")
LOCATOR = struct.Struct("<4sLQL")
ENTRY = struct.Struct("<4s6H3L5H2L")
LOCAL = struct.Struct("<4s5H3L2H")
# 500,000 tensors take about 45 MB of directory; the largest checkpoints have some 100,000.
MAX_DIRECTORY = 64 * 1024 * 1024
STORED, DEFLATED = 0, 8
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF


@dataclass(frozen=True)
class Member:
    """One entry: ``packed`` and ``length`` are its bytes in the file and unpacked (as claimed)."""

    name: str
    method: int
    packed: int
    length: int
    crc: int
    offset: int
    encrypted: bool


def read_directory(file: BinaryIO, size: int) -> dict[str, Member]:
    """The entries by name. Raises Damaged without a directory, Unreadable for an ambiguous one."""
    count, length, start, end = _find_end(file, size)
    if length > MAX_DIRECTORY:
        raise Unreadable("its zip directory is too large", "zip 目录过大")
    if start + length > end:
        raise Damaged("its zip directory lies outside the file", "zip 目录超出文件范围")
    file.seek(start)
    members: dict[str, Member] = {}
    for member in _entries(file.read(length)):
        if member.name in members:
            shown = member.name[:100]
            raise Unreadable(
                f"two members are called {shown!r}: ambiguous, not opened",
                f"有两个成员都叫 {shown!r}：含义不明，未打开",
            )
        members[member.name] = member
    if len(members) != count:
        raise Damaged("its zip directory has another number of entries", "zip 目录条目数不符")
    _refuse_overlap(members, start)
    return members


def open_member(file: BinaryIO, member: Member, budget: int) -> tuple[Stream, Checksum]:
    """The member's bytes in order, never more than ``budget``, and their checksum.

    Raises Unreadable for encryption or an unknown method.
    """
    if member.encrypted or member.method not in (STORED, DEFLATED):
        raise Unreadable("its zip members are packed in an unknown way", "zip 成员的压缩方式未知")
    chunks = file_chunks(file, start_of(file, member), member.packed)
    if member.method == DEFLATED:
        chunks = _inflate(chunks, budget)
    checksum = Checksum(chunks)
    # The claimed length of a packed member is not trusted: the budget ends the reading.
    size = member.packed if member.method == STORED else budget + 1
    return Stream(checksum, size, budget), checksum


def start_of(file: BinaryIO, member: Member) -> int:
    """Where in the file the member's bytes begin. Raises Damaged."""
    file.seek(member.offset)
    raw = file.read(LOCAL.size)
    if len(raw) < LOCAL.size or raw[:4] != b"PK\x03\x04":
        raise Damaged("a zip member is not where the directory says", "zip 成员不在目录所示位置")
    *_, name_length, extra_length = LOCAL.unpack(raw)
    return member.offset + LOCAL.size + int(name_length) + int(extra_length)


class Checksum:
    """Chunks passed on, with the CRC-32 of what has passed."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self.value = 0

    def __iter__(self) -> Checksum:
        return self

    def __next__(self) -> bytes:
        chunk = next(self._chunks)
        self.value = zlib.crc32(chunk, self.value)
        return chunk


def _inflate(chunks: Iterator[bytes], budget: int) -> Iterator[bytes]:
    unpack = zlib.decompressobj(-15)
    done = 0
    for chunk in chunks:
        pending = chunk
        while pending and done <= budget:
            try:
                piece = unpack.decompress(pending, CHUNK)
            except zlib.error:
                raise Damaged("packed data does not unpack", "压缩数据无法解开") from None
            done += len(piece)
            pending = unpack.unconsumed_tail
            if piece:
                yield piece


def _find_end(file: BinaryIO, size: int) -> tuple[int, int, int, int]:
    """(entries, directory bytes, directory start, where the end record begins)."""
    span = min(size, END.size + 0xFFFF)
    file.seek(size - span)
    tail = file.read(span)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < END.size:
        raise Damaged(
            f"cut off: no zip directory at the end of {size:,} bytes",
            f"文件不完整：{size:,} 字节的末尾没有 zip 目录",
        )
    *_, count, length, start, _ = END.unpack_from(tail, at)
    end = size - span + at
    if _FULL16 in (count,) or _FULL32 in (length, start):
        return _end64(file, end)
    return count, length, start, end


def _end64(file: BinaryIO, end: int) -> tuple[int, int, int, int]:
    file.seek(max(0, end - LOCATOR.size))
    raw = file.read(LOCATOR.size)
    if len(raw) < LOCATOR.size or raw[:4] != b"PK\x06\x07":
        raise Damaged("its zip64 directory is missing", "缺少 zip64 目录")
    _, _, at, _ = LOCATOR.unpack(raw)
    file.seek(min(at, end))
    raw = file.read(END64.size)
    if len(raw) < END64.size or raw[:4] != b"PK\x06\x06":
        raise Damaged("its zip64 directory is missing", "缺少 zip64 目录")
    *_, count, length, start = END64.unpack(raw)
    return count, length, start, at


def _entries(raw: bytes) -> Iterator[Member]:
    at = 0
    while at < len(raw):
        if len(raw) - at < ENTRY.size or raw[at : at + 4] != b"PK\x01\x02":
            raise Damaged("its zip directory is broken", "zip 目录已损坏")
        fields = ENTRY.unpack_from(raw, at)
        flags, method, crc, packed, length = fields[3], fields[4], *fields[7:10]
        name_length, extra_length, comment_length = fields[10:13]
        name_end = at + ENTRY.size + name_length
        name = raw[at + ENTRY.size : name_end].decode("utf-8", "replace")
        extra = raw[name_end : name_end + extra_length]
        length, packed, offset = _wide(extra, length, packed, fields[16])
        yield Member(name, method, packed, length, crc, offset, bool(flags & 1))
        at = name_end + extra_length + comment_length


def _wide(extra: bytes, length: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Sizes above 4 GiB stand in the zip64 extra field, in this order, only where needed."""
    if _FULL32 not in (length, packed, offset):
        return length, packed, offset
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            wide = iter(
                struct.unpack_from(f"<{min(size, len(extra) - at - 4) // 8}Q", extra, at + 4)
            )
            fields = [next(wide, v) if v == _FULL32 else v for v in (length, packed, offset)]
            return fields[0], fields[1], fields[2]
        at += 4 + size
    return length, packed, offset


def _refuse_overlap(members: dict[str, Member], directory: int) -> None:
    """Entries that share bytes unpack one stream many times (CVE-2024-0450)."""
    spans = sorted((m.offset, m.offset + LOCAL.size + m.packed) for m in members.values())
    for (_, end), (start, _) in zip(spans, [*spans[1:], (directory, 0)], strict=True):
        if start < end and start == directory:
            raise truncated(directory)
        if start < end:
            raise Unreadable(
                "zip members overlap: a zip bomb, not opened", "zip 成员重叠（zip 炸弹），未打开"
            )
