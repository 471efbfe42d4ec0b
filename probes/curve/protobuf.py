"""The wire format of protocol buffers, walked without a schema.

https://protobuf.dev/programming-guides/encoding/: a field is a varint key (number and wire type),
then a varint, 8 bytes, a length with its bytes, or 4 bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """(number, wire type, value) of each field; ends quietly where the bytes make no sense."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        if key is None:
            return
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            if value is None:
                return
            yield key >> 3, kind, value
            continue
        size, at = _size(data, at, kind)
        if size is None or at + size > end:
            return
        yield key >> 3, kind, data[at : at + size]
        at += size


def _size(data: bytes, at: int, kind: int) -> tuple[int | None, int]:
    if kind == BYTES:
        return _varint(data, at)
    return {FIXED64: 8, FIXED32: 4}.get(kind), at


def _varint(data: bytes, at: int) -> tuple[int | None, int]:
    """(value, where it ends); None for one that is cut off or longer than 10 bytes."""
    value = shift = 0
    for n in range(at, min(at + 10, len(data))):
        value |= (data[n] & 0x7F) << shift
        if data[n] < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, n + 1
        shift += 7
    return None, at


def signed(value: int) -> int:
    """A varint as int64."""
    return value - (1 << 64) if value >= 1 << 63 else value


def number(kind: int, value: int | bytes) -> float | None:
    """A float or double of a fixed field; None for anything else."""
    if kind == FIXED32 and isinstance(value, bytes):
        return float(struct.unpack("<f", value)[0])
    if kind == FIXED64 and isinstance(value, bytes):
        return float(struct.unpack("<d", value)[0])
    return None
