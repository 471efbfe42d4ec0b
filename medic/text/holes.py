"""Holes of sparse files: a log whose writer went on behind a cut end has gigabytes of zeros."""

from __future__ import annotations

import io
import os
from typing import BinaryIO

_MOST = 64  # parts between holes that are counted


def next_data(file: BinaryIO, offset: int) -> int:
    """The first byte from ``offset`` on that is stored, the file's size where none is, and
    ``offset`` itself where that cannot be told. The file's position stays."""
    at = _seek(file, offset, os.SEEK_DATA)
    if at is not None:
        return at
    hole = _seek(file, 0, os.SEEK_HOLE)  # nothing is stored from here on, or nobody tells
    return offset if hole is None else os.fstat(file.fileno()).st_size


def stored(file: BinaryIO, size: int) -> int:
    """Bytes of a file without its holes; ``size`` where they are many or cannot be told."""
    whole, at = 0, next_data(file, 0)
    for _ in range(_MOST):
        if at >= size:
            return whole
        hole = _seek(file, at, os.SEEK_HOLE)
        if hole is None:
            return size
        whole += min(hole, size) - at
        at = next_data(file, hole) if hole < size else size
    return size


def _seek(file: BinaryIO, offset: int, whence: int) -> int | None:
    """Where a seek leads, without moving; None where it cannot be told."""
    try:
        number = file.fileno()
        before = os.lseek(number, 0, os.SEEK_CUR)
    except (OSError, io.UnsupportedOperation, AttributeError):
        return None
    try:
        return os.lseek(number, offset, whence)
    except OSError:
        return None
    finally:
        os.lseek(number, before, os.SEEK_SET)
