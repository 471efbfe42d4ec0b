"""Which bytes are text, and how compressed ones become it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO, cast

from medic.errors import Unreadable
from medic.text.patterns import regex

CHUNK = 1024 * 1024


def opener(head: bytes, name: str) -> Callable[[BinaryIO], BinaryIO] | None:
    if head.startswith(b"\x1f\x8b"):
        import gzip

        return lambda file: cast("BinaryIO", gzip.open(file, "rb"))
    if head.startswith(b"BZh"):
        import bz2

        return lambda file: cast("BinaryIO", bz2.open(file, "rb"))
    if head.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lambda file: cast("BinaryIO", lzma.open(file, "rb"))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstd(name)
    return None


def _zstd(name: str) -> Callable[[BinaryIO], BinaryIO]:
    """The standard library has zstd from Python 3.14 on; backports.zstd is the same for others."""
    from importlib import import_module

    for module in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            open_zstd: Callable[..., BinaryIO] = import_module(module).open
            return lambda file: open_zstd(file, "rb")
    raise Unreadable(
        "zstd needs Python 3.14 or pip install 'llm-medic[zstd]'; or decompress it with `zstd -d`",
        "zstd 需要 Python 3.14 或 pip install 'llm-medic[zstd]'；也可先用 `zstd -d` 解压",
        at=name,
    )


# What decompressors raise on broken data; two of them derive from Exception alone.
_BROKEN = (OSError, EOFError, zlib.error, ValueError)
_BROKEN_NAMES = ("LZMAError", "ZstdError")


def chunks(plain: BinaryIO, limit: int) -> Iterator[tuple[bytes, bool]]:
    """(bytes, whether the stream broke after them) of a decompressor, in large pieces."""
    # read1 gives what there is before a broken end; read would lose it.
    read = getattr(plain, "read1", plain.read)
    parts: list[bytes] = []
    size, left = 0, limit
    broken = ended = False
    while left and not ended:
        try:
            part = read(min(CHUNK, left))
        except Exception as problem:
            if not isinstance(problem, _BROKEN) and type(problem).__name__ not in _BROKEN_NAMES:
                raise
            part, broken = b"", True
        left -= len(part)
        size += len(part)
        parts.append(part)
        ended = not part
        if size >= CHUNK or ended or not left:
            yield b"".join(parts), broken
            parts, size = [], 0


def utf16(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    chunk = head
    while chunk:
        yield decoder.decode(chunk).encode("utf-8", "replace")
        chunk = file.read(CHUNK)


# Bytes that text does not hold; NUL is judged by its share, as a log cut in place begins with NULs.
_HOLE = regex(rb"\x00{64,}")
_NOT_TEXT = bytes(b for b in range(1, 32) if b not in b"\t\n\r\x07\x08\x0b\x0c\x0e\x0f\x1b")


def require_text(head: bytes, name: str) -> None:
    """Random bytes hold about 8% of these control bytes and text none; the limit is 2%.

    A run of NULs is a hole, where a log was cut in place or a machine went down.
    """
    sample = _HOLE.sub(b"", head.lstrip(b"\0"))
    odd = len(sample) - len(sample.translate(None, _NOT_TEXT))
    binary = head.startswith((b"\x7fELF", b"PK\x03\x04", b"\x89PNG", b"\x80\x02", b"\x80\x04"))
    if binary or odd > len(sample) * 0.02 or sample.count(b"\0") > len(sample) * 0.1:
        raise Unreadable("not text", "不是文本文件", at=name)
