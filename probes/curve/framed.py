"""Records in files of two framings: TFRecord (TensorBoard) and LevelDB's log (W&B).

TFRecord: length (u64), its masked CRC-32C, data, their masked CRC-32C
(tensorflow/core/lib/io/record_writer.h). LevelDB: blocks of 32 KiB of records with CRC, length
(u16) and type (whole, first, middle, last); W&B puts 7 bytes before the first and uses CRC-32
(wandb/sdk/internal/datastore.py).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

from medic.i18n import Text
from medic.records import dataclass
from medic.text.patterns import regex

MAX_RECORD = 64 * 1024 * 1024
MAX_SKIPPED = 256 * 1024  # larger records are images or graphs: skipped, not read
CHECKED = 4 * 1024 * 1024  # bytes whose checksum is worked out: pure Python takes 0.1 s a MiB
BLOCK = 32_768
HEADER = 7
WANDB = b":W&B"
_MASK = 0xA282EAD8
# Where a record may begin: a length of 1 to 2^32 - 1, and a checksum.
_BEGIN = regex(rb"(?s)(?=(?!\0{4}).{4}\0{4}(?!\0{4}).{4})")
CHUNK, MAX_LOST = 1 << 20, 8 << 20  # bytes that are searched for the next record
MAX_TRIED = 100_000  # places of which the checksum is worked out: 0.6 s
_CUT_OFF = Text("cut off at byte {size}", "在第 {size} 字节处被截断")
_LOST = Text(
    "bytes {at} to {end} are no records: left out", "第 {at} 至 {end} 字节不是记录，已略过"
)
_CUT_RECORD = Text(
    "cut off at byte {size}: a record of {length} bytes begins at {at}",
    "在第 {size} 字节处被截断：从第 {at} 字节开始的记录应有 {length} 字节",
)
_NO_WANDB = Text("no W&B file: its first bytes are not :W&B", "不是 W&B 文件：开头的字节不是 :W&B")


@dataclass
class Framing:
    """What was wrong with the frames; None if nothing was."""

    problem: Text | None = None
    bad_sums: int = 0
    checked: int = 0


@cache
def _table() -> tuple[int, ...]:
    """Of CRC-32C (Castagnoli), reflected polynomial 0x82F63B78."""
    table = []
    for n in range(256):
        value = n
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return tuple(table)


def crc32c(data: bytes) -> int:
    table, value = _table(), 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    value = crc32c(data)
    return ((value >> 15 | value << 17) + _MASK) & 0xFFFFFFFF


def is_tfrecord(head: bytes) -> bool:
    """Whether the first 12 bytes are a length and its checksum."""
    return len(head) >= 12 and masked(head[:8]) == int.from_bytes(head[8:12], "little")


def tfrecords(file: BinaryIO, size: int, framing: Framing) -> Iterator[bytes]:
    """The data of each record. What is wrong is told and left out, and the walk goes on behind it."""
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(12)
        if len(head) < 12:
            framing.problem = _CUT_OFF.fill(size=f"{size:,}")
            return
        length = int.from_bytes(head[:8], "little")
        if not is_tfrecord(head):
            following = _next_record(file, at + 1, size)
            framing.problem = _LOST.fill(at=f"{at:,}", end=f"{following - 1:,}")
            at = following
            continue
        if at + 16 + length > size:
            framing.problem = _CUT_RECORD.fill(size=f"{size:,}", length=f"{length:,}", at=f"{at:,}")
            return
        at += 16 + length
        if length > MAX_SKIPPED:
            continue
        data = file.read(length)
        if framing.checked < CHECKED:
            framing.checked += length
            if masked(data) != int.from_bytes(file.read(4), "little"):
                framing.bad_sums += 1
                continue
        yield data


def _next_record(file: BinaryIO, at: int, size: int) -> int:
    """Where the next record begins; ``size`` if nowhere."""
    end, tried = min(size, at + MAX_LOST), 0
    while at < end:
        file.seek(at)
        data = file.read(CHUNK)
        for found in _BEGIN.finditer(data):
            if is_tfrecord(data[found.start() : found.start() + 12]):
                return at + found.start()
            tried += 1
            if tried > MAX_TRIED:
                return size
        at += max(len(data) - 12, 1)
    return size


def wandb_records(file: BinaryIO, size: int, framing: Framing) -> Iterator[bytes]:
    """The data of each record of a .wandb file; the walk goes on at the next block after a bad one."""
    file.seek(0)
    if file.read(4) != WANDB:
        framing.problem = _NO_WANDB
        return
    at, parts = HEADER, list[bytes]()
    while at + HEADER <= size:
        left = BLOCK - at % BLOCK
        if left < HEADER:
            at += left
            continue
        file.seek(at)
        head = file.read(HEADER)
        told, length, kind = struct.unpack("<IHB", head)
        if not kind and not length:
            at += left  # padding to the end of a block that was laid out beforehand
            continue
        data = file.read(length)
        if len(data) < length:
            framing.problem = _CUT_OFF.fill(size=f"{size:,}")
            return
        if kind not in (1, 2, 3, 4) or zlib.crc32(data, zlib.crc32(bytes([kind]))) != told:
            framing.bad_sums += 1
            parts = []
            at += left
            continue
        at += HEADER + length
        parts = [data] if kind in (1, 2) else [*parts, data]
        if kind in (1, 4):
            if sum(map(len, parts)) <= MAX_RECORD:
                yield b"".join(parts)
            parts = []
