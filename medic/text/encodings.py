"""Text that is not UTF-8: lines of Chinese machines in GBK become what they say, other bytes a sign."""

from __future__ import annotations

from medic.text.patterns import regex

# Pairs of GB2312: its signs and the 6,763 characters that are in use; GBK adds rare ones.
_COMMON = regex(rb"(?:[\xa1-\xa9]|[\xb0-\xf7])[\xa1-\xfe]")
_ESCAPED = regex("[\\udc80-\\udcff]")
_ASCII = bytes(range(128))
_MOST = 0.8  # of the bytes beyond ASCII are of such pairs


def utf8(data: bytes) -> bytes:
    """The lines with those in GBK written as UTF-8; others, whatever they are, as they stand."""
    if data.isascii() or _is_utf8(data):
        return data
    lines = data.split(b"\n")
    foreign = [line for line in lines if not line.isascii()]
    # A short line in GBK may look like damaged UTF-8: where another is surely GBK and none is
    # UTF-8, it is GBK, too.
    sure = any(_line(line) != line for line in foreign) and not any(map(_is_utf8, foreign))
    return b"\n".join(_line(line, sure) for line in lines)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _line(line: bytes, sure: bool = False) -> bytes:
    if line.isascii() or _is_utf8(line) or (not sure and _is_broken_utf8(line)):
        return line
    common = sum(map(len, _COMMON.findall(line)))
    if common < _MOST * len(line.translate(None, _ASCII)):
        return line
    try:
        return line.decode("gb18030").encode()
    except UnicodeDecodeError as problem:
        if problem.start < len(line) - 4:
            return line
        # A long line is cut where a character may not end.
        return line[: problem.start].decode("gb18030").encode() + line[problem.start :]


def _is_broken_utf8(line: bytes) -> bool:
    """Whether more of its characters are UTF-8 than are not: bytes are missing, or foreign."""
    text = line.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return sum(not c.isascii() for c in text) - bad > bad


def without_odd(data: bytes) -> bytes:
    """As long as before, with ``_`` for each byte that is no UTF-8."""
    kept = data.decode("utf-8", "surrogateescape")
    return _ESCAPED.sub("_", kept).encode()
