"""Compiled knowledge as files: one a kind, so that a start reads only what it uses.

A file of entries is JSON with one entry a line, each parsed when it is first asked for. Long fields
of which few are read have lines of their own, ``"entry/field"``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

WHOLE = ("format", "marks", "probes", "sieve", "ties", "told")  # no entries by name
ROWS = "words"  # of many rows few are read

APART = {
    "frameworks": ("choices", "keys", "known", "known_below", "rules", "switches", "valued"),
}


class Parts(Mapping[str, Any]):
    """Compiled knowledge by kind, each kind's file read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Any] = {}

    def __getitem__(self, kind: str) -> Any:
        if kind not in self._read:
            try:
                data = (self._folder / f"{kind}.json").read_bytes()
            except FileNotFoundError:
                raise KeyError(kind) from None
            if kind == ROWS:
                self._read[kind] = Rows(data)
            else:
                self._read[kind] = json.loads(data) if kind in WHOLE else Entries(data)
        return self._read[kind]

    def __iter__(self) -> Iterator[str]:
        return (file.stem for file in sorted(self._folder.glob("*.json")))

    def __len__(self) -> int:
        return len(list(iter(self)))


class Entries(Mapping[str, Any]):
    """Entries of one kind by name."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lines: dict[str, slice] = {}  # where the text is: most of it is never looked at
        self._apart: dict[str, dict[str, slice]] = {}
        self._read: dict[str, Any] = {}
        start, end = data.find(b"\n") + 1, data.rfind(b"\n")
        while start < end:
            text = data.find(b'":', start)
            entry, _, field = data[start + 1 : text].decode().partition("/")
            stop = data.find(b"\n", text)
            if field:
                self._apart.setdefault(entry, {})[field] = slice(text + 2, stop)
            else:
                self._lines[entry] = slice(text + 2, stop)
            start = stop + 1

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            own, apart = _parsed(self._data[self._lines[name]]), self._apart.get(name)
            late = {field: _late(self._data[at]) for field, at in apart.items()} if apart else {}
            self._read[name] = own | late if late else own
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines


class Rows(Mapping[str, Any]):
    """Values by name, in the order of the names' bytes: each is looked for by halving, and parsed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = self._found(name)
        return self._read[name]

    def _found(self, name: str) -> Any:
        data, key = self._data, f'"{name}":'.encode()
        low, high = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        while low < high:
            start = max(data.rfind(b"\n", low, (low + high) // 2) + 1, low)
            stop = data.find(b'":', start) + 2
            end = data.find(b"\n", stop)
            if data[start:stop] == key:
                return _parsed(data[stop:end])
            if data[start:stop] < key:
                low = end + 1
            else:
                high = start
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for line in self._data.split(b"\n")[1:-1]:
            yield line.partition(b'":')[0][1:].decode()

    def __len__(self) -> int:
        return max(0, self._data.count(b"\n") - 1)


def _parsed(text: bytes) -> Any:
    return json.loads(text.removesuffix(b","))


class _LateList(Sequence[Any]):
    """A list whose text is parsed when it is first looked at."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    @cached_property
    def _items(self) -> Any:
        return _parsed(self._text)

    def __getitem__(self, at: Any) -> Any:
        return self._items[at]

    def __len__(self) -> int:
        return len(self._items)


class _LateMap(Mapping[str, Any]):
    """The same of a mapping."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    @cached_property
    def _items(self) -> Any:
        return _parsed(self._text)

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def _late(text: bytes) -> Any:
    return _LateList(text) if text.startswith(b"[") else _LateMap(text)


def tables(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What would cost a look at every cause: the names of those with lint words and of those with
    words of their own, by their code, and by the symptoms that they show; and the symptoms beside
    which a check is answered. At every term: the variables that a library reads."""
    causes = raw["causes"]
    shown: dict[str, list[str]] = {}
    for name, cause in sorted(causes.items()):
        for one in cause["shows"]:
            shown.setdefault(one["symptom"], []).append(name)
    return {
        "lint": sorted(name for name, raw in causes.items() if raw.get("lint")),
        "telltale": sorted(name for name, raw in causes.items() if raw.get("telltale")),
        "codes": {raw["code"]: name for name, raw in sorted(causes.items())},
        "shown": shown,
        "beside": {n: one["beside"] for n, one in raw["checks"].items() if "beside" in one},
        "variables": sorted(
            name
            for term in raw["terms"].values()
            if term.get("kind") == "variable" and term.get("read_by")
            for name in term["says"]
        ),
    }


def store(compiled: Mapping[str, Any], folder: Path, mode: int = 0o644) -> None:
    """One JSON file a kind, complete or not there at all. Raises OSError."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    part.mkdir(parents=True)
    try:
        for kind, entries in compiled.items():
            handle = os.open(part / f"{kind}.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(handle, "wb") as out:
                out.write((_json(entries) if kind in WHOLE else _by_line(kind, entries)).encode())
        part.rename(folder)
    except OSError:
        import shutil

        shutil.rmtree(part, ignore_errors=True)
        raise


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _by_line(kind: str, entries: Mapping[str, Any]) -> str:
    """Names are those of files, in which JSON has nothing to escape (``Entries`` counts on it)."""
    apart = APART.get(kind, ())
    parts: dict[str, Any] = {}
    for name, entry in entries.items():
        if not apart:
            parts[name] = entry
            continue
        parts[name] = {field: value for field, value in entry.items() if field not in apart}
        parts |= {f"{name}/{field}": entry[field] for field in apart if field in entry}
    rows = [f'"{name}":{_json(part)}' for name, part in parts.items()]
    lines = ",\n".join(sorted(rows, key=_key) if kind == ROWS else rows)
    return f"{{\n{lines}\n}}" if lines else "{\n}"


def _key(row: str) -> bytes:
    return row[: row.index('":') + 2].encode()
