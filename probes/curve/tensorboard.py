"""Scalars of TensorBoard event files.

Event (tensorflow/core/util/event.proto): 2 step, 5 summary. Summary.Value: 1 tag, 2 simple_value,
8 tensor. TensorProto: 1 dtype, 4 content, 5 float_val, 6 double_val.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from medic.i18n import Text

from .framed import Framing, tfrecords
from .protobuf import BYTES, VARINT, fields, number, signed

FLOAT, DOUBLE = 1, 2
MAX_SCALARS = 2_000_000
_MOST = Text("only the first {n} values were read", "只读取了前 {n} 个值")


def scalars(file: BinaryIO, size: int, framing: Framing) -> Iterator[tuple[int, str, float]]:
    """(step, tag, value) in file order."""
    count = 0
    for data in tfrecords(file, size, framing):
        step, summaries = 0, []
        for field, kind, value in fields(data):
            if field == 2 and kind == VARINT and isinstance(value, int):
                step = signed(value)
            elif field == 5 and kind == BYTES and isinstance(value, bytes):
                summaries.append(value)
        for summary in summaries:
            for tag, scalar in _values(summary):
                count += 1
                if count > MAX_SCALARS:
                    framing.problem = _MOST.fill(n=f"{MAX_SCALARS:,}")
                    return
                yield step, tag, scalar


def _values(summary: bytes) -> Iterator[tuple[str, float]]:
    for field, kind, value in fields(summary):
        if field == 1 and kind == BYTES and isinstance(value, bytes):
            found = _value(value)
            if found is not None:
                yield found


def _value(data: bytes) -> tuple[str, float] | None:
    tag, scalar = "", None
    for field, kind, value in fields(data):
        if field == 1 and kind == BYTES and isinstance(value, bytes):
            tag = value[:200].decode("utf-8", "replace")
        elif field == 2:
            scalar = number(kind, value)
        elif field == 8 and kind == BYTES and isinstance(value, bytes):
            scalar = _tensor(value)
    return (tag, scalar) if tag and scalar is not None else None


def _tensor(data: bytes) -> float | None:
    """The number of a tensor of one element; None for any other."""
    dtype, found, content = 0, None, b""
    for field, kind, value in fields(data):
        if field == 1 and isinstance(value, int):
            dtype = value
        elif field == 4 and isinstance(value, bytes):
            content = value
        elif field in (5, 6):
            packed = isinstance(value, bytes) and kind == BYTES
            width = 4 if field == 5 else 8
            if packed and isinstance(value, bytes) and len(value) == width:
                found = float(struct.unpack("<f" if width == 4 else "<d", value)[0])
            elif not packed:
                found = number(kind, value)
    if dtype == FLOAT and len(content) == 4:
        return float(struct.unpack("<f", content)[0])
    if dtype == DOUBLE and len(content) == 8:
        return float(struct.unpack("<d", content)[0])
    return found
