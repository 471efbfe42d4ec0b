"""The first rows of a data set that lies beside a configuration: which columns they have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from medic.errors import Unreadable
from medic.probe import Look

MAX_BYTES = 512 * 1024 * 1024
READ, ROWS = 1024 * 1024, 100  # of a file; a column that none of so many rows has is not there
_ENDINGS = (".json", ".jsonl")
Row = dict[str, Any]


def beside(path: str, folders: Sequence[Path]) -> Path | None:
    """A file that a configuration names, where it lies below one of the folders."""
    for folder in folders:
        here = Path(path) if path.startswith("/") else folder / path
        try:
            if here.is_file():
                return here
        except (OSError, ValueError):
            return None
    return None


def first_rows(look: Look, path: Path) -> list[Row]:
    """The first rows of JSON or JSON Lines; none where the file is neither, or not text."""
    if path.suffix not in _ENDINGS:
        return []
    try:
        with look.open(str(path), MAX_BYTES) as file:
            text = file.read(READ).decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")
    except Unreadable:
        return []
    rows = _of_list(text) if text.startswith("[") else _of_lines(text)
    found = [row for _, row in zip(range(ROWS), rows, strict=False)]
    return [row for row in found if isinstance(row, dict)]


def _of_list(text: str) -> Iterator[Any]:
    decoder, at = json.JSONDecoder(), 1
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield row


def _of_lines(text: str) -> Iterator[Any]:
    yield from takewhile(lambda row: row is not None, map(_row, text.splitlines()))


def _row(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Every column that one of the rows has, in the order of the file."""
    return list(dict.fromkeys(key for row in rows for key in row))
