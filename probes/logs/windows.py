"""The parts of a log that are read line by line.

A small log is read whole. Of a large one: its beginning, its end, samples between them (for the
curve), and what stands around given lines. The signature scan sees every byte in any case.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from medic.errors import Unreadable
from medic.facts import GivenFile
from medic.probe import Look
from medic.text.encodings import utf8
from medic.text.holes import next_data
from medic.text.patterns import regex

Numbered = tuple[int, str]
Starts = Sequence[tuple[int, int]]  # (byte, number) of lines

# Bytes. A line costs about 50 microseconds here: 0.2 MiB of lines are a sixth of the time that
# the signature scan of 50 MB takes.
WHOLE = 1 << 20
HEAD = 48 << 10
TAIL = 80 << 10
SAMPLES, SAMPLE = 16, 4 << 10
ABOVE, BELOW = 30, 200  # lines around a given line: a deep traceback is about 100 lines
CHUNK = 64 << 10
LINE_LIMIT = 64 << 10
ANYTHING = 1 << 62
TAIL_LINES = 4000  # of a log whose size is unknown until it was read

_ESCAPES = regex(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)?|\x1b.?")
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(13, 32), *range(127, 160)])
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xfe\xff")


def read(
    look: Look, given: GivenFile, near: Sequence[int], starts: Starts = ()
) -> Iterator[Numbered | None]:
    """(line number, text) in file order; None where lines were left out.

    ``starts`` of lines that are known save counting up to them. Raises Unreadable. Each state of a
    progress bar, behind a carriage return, is a text of its own with the number of their line.
    """
    near = sorted(set(near))
    plain = _plain(look, given)
    if plain is None:
        yield from _stream(look.lines(given.path), near)
        return
    with plain:
        if given.size <= WHOLE:
            yield from _whole(plain)
        else:
            yield from _parts(plain, given.size, near, starts)


def _plain(look: Look, given: GivenFile) -> BinaryIO | None:
    """The file itself where its bytes are its text; None for pasted text and compressed logs."""
    try:
        file = look.open(given.path, ANYTHING)
    except (Unreadable, OSError):
        return None
    head = file.read(6)
    if head.startswith(_COMPRESSED):
        file.close()
        return None
    file.seek(0)
    return file


def _whole(file: BinaryIO) -> Iterator[Numbered]:
    for number, raw in enumerate(file.read(WHOLE).split(b"\n"), 1):
        yield from _texts(number, raw)


def _stream(lines: Iterator[Numbered], near: Sequence[int]) -> Iterator[Numbered | None]:
    """Of lines that come once: the beginning, those near, and the last ones."""
    size = 0
    late: deque[Numbered] = deque(maxlen=TAIL_LINES)
    left_out = False
    for number, text in lines:
        size += len(text) + 1
        if size <= WHOLE or _close(near, number, number):
            if left_out:
                yield None
                left_out = False
            for state in text.split("\r"):
                yield number, state
        else:
            late.append((number, text))
            left_out = True
    if late:
        yield None
        yield from late


def _parts(
    file: BinaryIO, size: int, near: Sequence[int], starts: Starts
) -> Iterator[Numbered | None]:
    """Wanted chunks split into lines; between them newlines are counted from the last known line."""
    line, offset, carry, reading = 1, 0, b"", True
    samples = [HEAD + n * (size - HEAD - TAIL) // SAMPLES for n in range(1, SAMPLES)]
    while offset < size:
        until, wanted = _piece(offset, size, samples)
        if not (wanted or reading):
            offset, line = _further(starts, near, (offset, line), until)
            file.seek(offset)
        chunk = file.read(min(until - offset, CHUNK))
        if not chunk:
            break
        offset += len(chunk)
        if b"\0" in chunk:
            chunk = chunk.replace(b"\0", b"")
            offset = offset if chunk else max(offset, min(next_data(file, offset), size))
            file.seek(offset)
        newlines = chunk.count(b"\n")
        if not (wanted or _close(near, line, line + newlines)):
            if reading and (carry or newlines):
                # The line that the last wanted chunk left open ends here.
                yield from _texts(line, carry + chunk.split(b"\n", 1)[0])
                yield None
            reading, carry = False, b""
            line += newlines
            continue
        rows = (carry + chunk).split(b"\n")
        if not reading:
            # The first row began in a chunk that was not read.
            rows, line, reading = rows[1:], line + bool(newlines), bool(newlines)
        carry = _open_end(rows.pop()) if rows else b""
        for row in rows:
            yield from _texts(line, row)
            line += 1
    if carry:
        yield from _texts(line, carry)


def _piece(offset: int, size: int, samples: Sequence[int]) -> tuple[int, bool]:
    """(where the piece ends that begins at ``offset``, whether it is wanted whatever it holds)."""
    if offset < HEAD:
        return HEAD, True
    if offset >= size - TAIL:
        return size, True
    coming = next((s for s in samples if s >= offset), size - TAIL)
    return (offset + SAMPLE, True) if offset == coming else (coming, False)


def _further(
    starts: Starts, near: Sequence[int], at: tuple[int, int], until: int
) -> tuple[int, int]:
    """The last known (byte, number) before ``until`` with no line between that is near; else ``at``."""
    found = at
    for start in starts[bisect_right(starts, at) :]:
        if start[0] >= until or _close(near, at[1], start[1]):
            break
        found = start
    return found


def _close(near: Sequence[int], first: int, last: int) -> bool:
    """Whether one of the sorted lines is close to the lines ``first``..``last``."""
    place = bisect_left(near, first - BELOW)
    return place < len(near) and near[place] <= last + ABOVE


def _open_end(raw: bytes) -> bytes:
    """What is kept of a line that goes on: of a progress bar its last states."""
    return raw[-LINE_LIMIT:] if b"\r" in raw else raw[:LINE_LIMIT]


def _texts(number: int, raw: bytes) -> Iterator[Numbered]:
    """The line, or what stood on it one after the other."""
    if b"\r" not in raw:
        yield number, _text(raw)
        return
    states = [state for state in raw.split(b"\r") if state.strip()]
    for state in states or [b""]:
        yield number, _text(state)


def _text(raw: bytes) -> str:
    """As the core cleans lines."""
    text = utf8(raw[:LINE_LIMIT]).decode("utf-8", "replace")
    if text.isprintable():
        return text
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return text.translate(_CONTROLS)
