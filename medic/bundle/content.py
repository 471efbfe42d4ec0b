"""What of a file goes into a bundle: text, cut to a sensible size, or why it is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from medic.bundle.middle import Middle
from medic.errors import MedicError, Unreadable
from medic.facts import GivenFile
from medic.i18n import Text
from medic.records import dataclass
from medic.runner.look import open_regular
from medic.text.encodings import utf8
from medic.text.holes import next_data
from medic.text.patterns import regex

MIB = 1024 * 1024
# Of a log above the first its begin and its end stay whole, for versions and arguments stand at the
# begin and what happened last at the end; of what lies between, the lines that bundle.middle keeps.
WHOLE, BEGIN, END = 8 * MIB, 1 * MIB, 6 * MIB
MAX_MIDDLE = 1 << 30  # bytes between begin and end that are looked through
MAX_UNPACKED = 1 << 30  # characters of a compressed log
MAX_TEXT = 4 * MIB  # of configs, scripts and notes
_LOGS = ("log", "metrics", "gpu-series")
_TEXTS = (
    "config",
    "model-config",
    "script",
    "python",
    "gpu-report",
    "note",
    "stacks",
    "host-report",
)
_DATA = Text(
    "training data is not taken along; add what `medic probe data` says of it",
    "训练数据不打包；可附上 `medic probe data` 的结果",
)
_LEFT = {
    "data": _DATA,
    "benchmark": _DATA,
    "checkpoint": Text(
        "checkpoints are not taken along; add what `medic probe checkpoint` says of it",
        "检查点不打包；可附上 `medic probe checkpoint` 的结果",
    ),
}
_PACKED_END = regex(r"\.(?:gz|zst|bz2|xz)$")
# gzip, zstd, bzip2 and xz; UTF-16, of which no half may be cut.
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Content:
    """Text for the bundle. ``cut``: bytes of the original that are not in it."""

    name: str
    text: str
    cut: int = 0


def content_of(file: GivenFile) -> Content | Text:
    """The content of a file of the case, or why it is left out."""
    try:
        if file.kind == "flight-recorder":
            return _dump(file)
        if file.kind == "metrics" and (tracked := _tracked(file)) is not None:
            return tracked
        if file.kind in _LOGS:
            return _log(file)
        if file.kind in _TEXTS:
            return _text(file)
    except MedicError as problem:
        return Text(problem.en, problem.zh)
    return _LEFT.get(file.kind) or Text(f"not text ({file.kind})", f"不是文本（{file.kind}）")


def _text(file: GivenFile) -> Content:
    with open_regular(file.path) as opened:
        data = opened.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise Unreadable(f"larger than {MAX_TEXT:,} bytes", f"超过 {MAX_TEXT:,} 字节")
    if b"\0" in data:
        raise Unreadable("not text", "不是文本")
    return Content(file.name, _as_text(data))


def _as_text(data: bytes) -> str:
    """Bytes that are no text stand in it as surrogates, and in the bundle as they were."""
    return utf8(data).decode("utf-8", "surrogateescape")


def _dump(file: GivenFile) -> Content:
    """A flight recorder's dump as JSON: redaction must not change a pickle's lengths."""
    read = import_module("medic.probes.recorder.plain").read_plain
    with open_regular(file.path) as opened:
        value = read(opened)
    name = file.name.removesuffix(".json").removesuffix(".pkl").removesuffix(".pickle")
    return Content(f"{name}.json", json.dumps(value, indent=0))


def _tracked(file: GivenFile) -> Content | None:
    """What a tracker's binary file holds, a JSON object a step; None for a file of text."""
    trackers = import_module("medic.probes.curve.trackers")
    with open_regular(file.path) as opened:
        kind = trackers.kind(opened.read(trackers.HEAD))
        if not kind:
            return None
        opened.seek(0)
        rows, problem = getattr(trackers, kind)(opened, file.size)
    if not rows and problem is not None:
        raise Unreadable(problem.en, problem.zh)
    # Under its own name it would be taken for the binary file.
    name = Path(file.name).name.replace("tfevents", "tensorboard")
    lines = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
    return Content(f"{name}.jsonl", lines)


def _log(file: GivenFile) -> Content:
    """Decompressed lines; the middle of a long log is left out, and told in its place."""
    name = _PACKED_END.sub("", file.name)
    with open_regular(file.path) as opened:
        packed = opened.read(6).startswith(_PACKED)
        size = opened.seek(0, 2)
        opened.seek(0)
        if not packed:
            # As it is: what a bar overwrites between carriage returns are no lines of their own.
            return _ends(opened, size, name) if size > WHOLE else _whole(opened, name)
        return _streamed(opened, file.path, name)


def _whole(opened: BinaryIO, name: str) -> Content:
    return Content(name, _as_text(opened.read().replace(b"\0", b"")))


def _ends(opened: BinaryIO, size: int, name: str) -> Content:
    """Begin and end of a plain file, and what its middle tells of trouble; holes are passed over."""
    begin, _, rest = opened.read(BEGIN).rpartition(b"\n")
    middle = Middle()
    for line in _between(opened, rest, size - END):
        middle.add(line)
    kept = list(middle.lines())
    opened.seek(size - END)
    end = opened.read(END).partition(b"\n")[2]
    cut = size - len(begin) - len(end) - sum(len(line) + 1 for line in kept[1:-1]) - 1
    text = _as_text(b"\n".join((begin, *kept, end)).replace(b"\0", b""))
    return Content(name, text, cut)


def _between(opened: BinaryIO, rest: bytes, stop: int) -> Iterator[bytes]:
    """Lines up to the one that reaches past ``stop``; ``rest`` is what was read of the first."""
    at, left = opened.tell(), MAX_MIDDLE
    while left > 0 and (at := next_data(opened, at)) < stop:
        opened.seek(at)
        chunk = opened.read(min(MIB, stop - at))
        if not chunk:
            break
        at, left = at + len(chunk), left - len(chunk)
        *lines, rest = (rest + chunk.replace(b"\0", b"")).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _streamed(opened: BinaryIO, path: str, name: str) -> Content:
    """Lines as they are read, of which a compressed file may hold very many."""
    from medic.match import iter_lines

    begin, size, tail = [], 0, _Tail(END)
    for _, line in iter_lines(opened, path, "surrogateescape"):
        size += len(line) + 1
        if size > MAX_UNPACKED:
            break
        if size <= BEGIN:
            begin.append(line)
        else:
            tail.add(line)
    kept = [line.decode("utf-8", "surrogateescape") for line in tail.middle.lines()]
    return Content(name, "\n".join([*begin, *kept, *tail.lines()]) + "\n", tail.middle.dropped)


class _Tail:
    """The last lines that fit into so many bytes, or all while they fit a whole file; ``middle`` takes
    the others."""

    def __init__(self, limit: int) -> None:
        from collections import deque

        self._limit = limit
        self._lines: deque[str] = deque()
        self._size = 0
        self.middle = Middle()

    def add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + 1
        if self.middle.dropped == 0 and self._size <= WHOLE - BEGIN:
            return
        while self._size > self._limit:
            gone = self._lines.popleft()
            self._size -= len(gone) + 1
            self.middle.add(gone.encode("utf-8", "surrogateescape"))

    def lines(self) -> Iterator[str]:
        return iter(self._lines)


def mtime(path: str) -> int:
    try:
        return int(Path(path).stat().st_mtime)
    except OSError:
        return 0
