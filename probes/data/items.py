"""The records of a file with their places, in order, whatever its format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from medic.i18n import Text
from medic.records import dataclass

from . import windows

MAX_RECORDS = 200_000  # of one file
_BLANK = b" \t\r"


@dataclass(frozen=True)
class Item:
    """One record, or why there is none at this place (``fault``: a note's kind)."""

    place: str
    value: Any = None
    line: int = 0
    fault: str = ""
    text: str | Text = ""


@dataclass
class Opened:
    """A file that is being read. ``whole`` and ``sampled`` are right once ``items`` ended."""

    format: Any
    items: Iterator[Item]
    whole: bool = True
    sampled: Text | None = None


def of_lines(file: BinaryIO, size: int, packed: bool) -> Opened:
    """A file of one JSON object a line, also in gzip."""
    if packed:
        data, whole, problem = windows.unpacked(file)
        lines = windows.lines_of(data, whole)
        said = None if whole else windows.head_only(f"{len(data) // windows.MIB:,} MiB")
        return Opened("json-lines", _records(lines, problem), whole, said)
    parts = windows.parts(file, size)
    found = (line for part in parts for line in windows.lines(file, part, size))
    return Opened("json-lines", _records(found), len(parts) == 1, windows.sampled(size))


def _records(lines: Iterator[windows.Line], problem: str = "") -> Iterator[Item]:
    for number, line in enumerate(lines):
        if number >= MAX_RECORDS:
            return
        if not line.data.strip(_BLANK):
            continue
        yield _parsed(line)
    if problem:
        yield Item("gzip", fault="cut-off", text=problem)


def _parsed(line: windows.Line) -> Item:
    at = line.number or 0
    if not line.data.strip(b"\0"):
        return Item(line.place, line=at, fault="zeros")
    try:
        text = line.data.decode("utf-8-sig" if line.offset == 0 else "utf-8")
    except UnicodeDecodeError:
        shown = line.data[:200].decode("utf-8", "replace")
        return Item(line.place, line=at, fault="not-utf-8", text=shown)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        fault = "cut-off" if line.cut and not text.rstrip().endswith("}") else "broken-line"
        return Item(line.place, line=at, fault=fault, text=text[:200])
    if not isinstance(value, dict):
        return Item(line.place, line=at, fault="no-object", text=text[:200])
    return Item(line.place, value, at)


def of_array(file: BinaryIO, size: int) -> Opened:
    """A JSON file that is a list of objects, or an object with such a list in it."""
    file.seek(0)
    data = file.read(min(size, windows.WHOLE))
    whole = size <= windows.WHOLE
    part = f"{windows.WHOLE // windows.MIB:,} / {size // windows.MIB:,} MiB"
    said = None if whole else windows.head_only(part)
    return Opened("json", _elements(data, whole), whole, said)


def _elements(data: bytes, whole: bool) -> Iterator[Item]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        if whole or problem.start < len(data) - 4:
            yield Item(f"byte {problem.start:,}", fault="not-utf-8")
        text = data.decode("utf-8", "replace")
    at, end = text.find("["), len(text)
    decoder, line, counted = json.JSONDecoder(), 1, 0
    at += 1
    for number in range(MAX_RECORDS):
        while at < end and text[at] in " \t\r\n,":
            at += 1
        if at >= end or text[at] == "]":
            if at >= end and whole:
                yield Item("end", line=text.count("\n") + 1, fault="cut-off", text=text[-100:])
            return
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if whole:
                yield Item(
                    f"line {line:,}", line=line, fault="broken-line", text=text[at : at + 200]
                )
            return
        place = f"record {number + 1:,}, line {line:,}"
        if isinstance(value, dict):
            yield Item(place, value, line)
        else:
            yield Item(place, line=line, fault="no-object", text=str(value)[:100])


def of_csv(file: BinaryIO, size: int, sign: str) -> Opened:
    """A table with a line of names; ``sign`` parts its cells."""
    file.seek(0)
    data = file.read(min(size, windows.WHOLE))
    whole = size <= windows.WHOLE
    said = None if whole else windows.head_only(f"{windows.WHOLE // windows.MIB:,} MiB")
    return Opened("csv", _cells(data, sign, whole), whole, said)


def _cells(data: bytes, sign: str, whole: bool) -> Iterator[Item]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        yield Item(f"byte {problem.start:,}", fault="not-utf-8")
        text = data.decode("utf-8", "replace")
    source = io.StringIO(text, newline="")
    reader = csv.reader(source, delimiter=sign)
    names: list[str] = []
    row = _Row()
    try:
        for cells in reader:
            row.ends(reader.line_num, source.tell())
            place = f"line {reader.line_num:,}"
            if not names:
                names = [c.strip() for c in cells]
            elif reader.line_num > MAX_RECORDS:
                return
            elif len(cells) > len(names):
                words = f"{len(cells)} / {len(names)}"
                yield Item(place, line=reader.line_num, fault="more-cells", text=words)
            elif cells:
                yield Item(place, dict(zip(names, cells, strict=False)), reader.line_num)
    except csv.Error as problem:
        row.ends(reader.line_num, source.tell())
        if not _is_open(text[row.start :], sign):
            yield Item(f"line {row.line:,}", line=row.line, fault="bad-cell", text=str(problem))
            return
    if whole and _is_open(text[row.start :], sign):
        shown = text[row.start : row.start + 100]
        yield Item(f"line {row.line:,}", line=row.line, fault="open-quote", text=shown)


@dataclass
class _Row:
    """Where the row that was read last begins: its line from 1, its character from 0."""

    line: int = 1
    start: int = 0
    next_line: int = 1
    next_start: int = 0

    def ends(self, lines: int, at: int) -> None:
        """``lines`` were read up to the character ``at``."""
        self.line, self.start = self.next_line, self.next_start
        self.next_line, self.next_start = lines + 1, at


def _is_open(text: str, sign: str) -> bool:
    """Whether a quote in a table's last row is never closed: it takes all that follows."""
    try:
        list(csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True))
    except csv.Error as problem:
        return "unexpected end" in str(problem)
    return False


def of_text(file: BinaryIO, size: int) -> Opened:
    """Plain text: a line is a record, as the ``text`` loader of datasets takes it."""
    parts = windows.parts(file, size)
    found = (line for part in parts for line in windows.lines(file, part, size))
    return Opened("text", _plain(found), len(parts) == 1, windows.sampled(size))


def _plain(lines: Iterator[windows.Line]) -> Iterator[Item]:
    for number, line in enumerate(lines):
        if number >= MAX_RECORDS:
            return
        if not line.data.strip():
            continue  # a blank line parts paragraphs
        at = line.number or 0
        try:
            yield Item(line.place, {"text": line.data.decode("utf-8")}, at)
        except UnicodeDecodeError:
            shown = line.data[:200].decode("utf-8", "replace")
            yield Item(line.place, line=at, fault="not-utf-8", text=shown)
