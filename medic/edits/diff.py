"""Edits as a unified diff of every file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from medic.edits.sources import Read, apply_to
from medic.run_config import Edit

CONTEXT = 3
_NO_END = "\\ No newline at end of file\n"


def by_file(edits: Sequence[Edit]) -> dict[str, list[Edit]]:
    files: dict[str, list[Edit]] = {}
    for edit in edits:
        files.setdefault(edit.file, []).append(edit)
    return files


def changed(file: str, edits: Sequence[Edit], data: bytes) -> bytes:
    """A file's bytes after those of the edits that are its own. Raises ValueError."""
    return apply_to(data, by_file(edits).get(file, []))


def diff(edits: Sequence[Edit], read: Read) -> str:
    """The edits of all files as one unified diff, which ``patch -p0`` applies. Raises ValueError
    for edits that overlap.
    """
    parts: list[str] = []
    for file, own in by_file(edits).items():
        old = read(file)
        parts += _file(file, old, apply_to(old, own))
    return "".join(parts)


def differences(files: Mapping[str, bytes], read: Read) -> str:
    """What the new content of each file changes, as one unified diff."""
    return "".join(line for file, new in files.items() for line in _file(file, read(file), new))


def _file(file: str, old: bytes, new: bytes) -> Iterator[str]:
    name = _header(file)
    lines = difflib.unified_diff(_lines(old), _lines(new), name, name, n=CONTEXT)
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}"


def _header(file: str) -> str:
    """A name with a line end as ``git diff`` and GNU patch write it: quoted, with escapes."""
    if "\n" not in file:
        return file
    inner = file.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{inner}"'


def _lines(data: bytes) -> list[str]:
    """Lines with their ends. Only a line feed ends a line; a carriage return stays in it."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
