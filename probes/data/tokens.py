"""Token ids in binary files: Megatron's .bin with its .idx, and the bare .bin of nanoGPT.

Layout of .idx: megatron/core/datasets/indexed_dataset.py, ``_IndexWriter``: magic, version (u64),
type code (u8), sequences (u64), documents (u64), then lengths (i32), pointers (i64), documents.
"""

from __future__ import annotations

import array
import struct
import sys
from collections.abc import Iterator
from typing import BinaryIO

from medic.i18n import Text
from medic.records import dataclass

MAGIC = b"MMIDIDX\x00\x00"
HEAD = struct.Struct("<9sQBQQ")
TYPES = {1: ("B", 1), 2: ("b", 1), 3: ("h", 2), 4: ("i", 4), 5: ("q", 8), 8: ("H", 2)}
FLOATS = {6: 8, 7: 4}
MAX_LENGTHS = 1_000_000  # sequences whose length is read
_NO_INDEX = Text(
    "no Megatron index: its magic bytes are missing", "不是 Megatron 索引：缺少开头的标识字节"
)
_VERSION = Text("index version {n}, not 1", "索引版本为 {n}，不是 1")
_TYPE = Text("unknown type code {n}", "未知的类型编码 {n}")
_CUT_OFF = Text("cut off: {size} of {need} bytes", "被截断：应有 {need} 字节，只有 {size} 字节")
_BELOW_ZERO = Text("a length below zero", "有长度小于零")
_POINTER = Text("its last pointer is below zero", "最后一个偏移小于零")
RUN = 16_384  # ids: padding of one sequence is shorter, a hole that was never written is longer
PART = 8 * 1024 * 1024  # bytes of ids of each part


@dataclass(frozen=True)
class Index:
    """``problem`` says what is wrong; the numbers are then those that the header claims."""

    code: str
    width: int
    sequences: int
    documents: int
    lengths: array.array[int]
    whole: bool
    wanted: int  # bytes that the .bin must have
    problem: Text | None = None


def read_index(file: BinaryIO, size: int) -> Index:
    file.seek(0)
    raw = file.read(HEAD.size)
    empty = array.array("i")
    if len(raw) < HEAD.size or not raw.startswith(MAGIC):
        return Index("", 0, 0, 0, empty, True, 0, _NO_INDEX)
    _, version, kind, sequences, documents = HEAD.unpack(raw)
    if version != 1:
        return Index("", 0, 0, 0, empty, True, 0, _VERSION.fill(n=str(version)))
    code, width = TYPES.get(kind, ("", FLOATS.get(kind, 0)))
    if not width:
        return Index("", 0, 0, 0, empty, True, 0, _TYPE.fill(n=str(kind)))
    need = HEAD.size + sequences * 12 + documents * 8
    if size < need:
        words = _CUT_OFF.fill(size=f"{size:,}", need=f"{need:,}")
        return Index(code, width, sequences, documents, empty, False, 0, words)
    count = min(sequences, MAX_LENGTHS)
    lengths = _array("i", file.read(4 * count))
    wanted = _end(file, sequences, width)
    bad = _BELOW_ZERO if lengths and min(lengths) < 0 else None
    if wanted < 0:
        bad = _POINTER
    return Index(code, width, sequences, documents, lengths, count == sequences, wanted, bad)


def _end(file: BinaryIO, sequences: int, width: int) -> int:
    """Where the last sequence ends in the .bin, in bytes."""
    if not sequences:
        return 0
    file.seek(HEAD.size + 4 * (sequences - 1))
    last = _array("i", file.read(4))[0]
    file.seek(HEAD.size + 4 * sequences + 8 * (sequences - 1))
    pointer = _array("q", file.read(8))[0]
    return pointer + last * width if pointer >= 0 and last >= 0 else -1


def _array(code: str, raw: bytes) -> array.array[int]:
    """Little-endian numbers; a half one at the end is left out."""
    found = array.array(code)
    found.frombytes(raw[: len(raw) // found.itemsize * found.itemsize])
    if sys.byteorder == "big":
        found.byteswap()
    return found


@dataclass(frozen=True)
class Part:
    """The largest and the smallest id of a stretch, with the position (in tokens) of each."""

    largest: int
    largest_at: int
    least: int
    least_at: int
    count: int
    zeros: int
    run_at: int = -1  # where a run of RUN zero ids begins; -1 where there is none


def parts(file: BinaryIO, size: int, code: str, width: int) -> Iterator[Part]:
    """Head, middle and tail of the ids, or all of a small file."""
    span = PART // width * width
    starts = (
        [0] if size <= 3 * span else [0, size // 2 // width * width, size // width * width - span]
    )
    length = size if len(starts) == 1 else span
    for start in starts:
        file.seek(start)
        raw = file.read(length)
        ids = _array(code, raw)
        if not ids:
            continue
        high, low, first = max(ids), min(ids), start // width
        yield Part(
            high, first + ids.index(high), low, first + ids.index(low), len(ids), ids.count(0),
            _run(raw, width, first),
        )  # fmt: skip


def _run(raw: bytes, width: int, first: int) -> int:
    at = raw.find(bytes(RUN * width))
    return -1 if at < 0 else first - (-at // width)


def bare_type(file: BinaryIO, size: int) -> tuple[str, int]:
    """The type of bare ids: uint16 as nanoGPT writes, or uint32 where every other half is small."""
    file.seek(0)
    halves = _array("H", file.read(min(size, 1 << 20)))
    upper = halves[1::2]
    if len(upper) >= 64 and sum(v <= 3 for v in upper) > 0.98 * len(upper):
        return "I", 4
    return "H", 2
