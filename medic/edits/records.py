"""What was changed, when, and the bytes before: one folder a change below the state folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from medic.config import PRIVATE_FOLDER, state_dir, write_whole
from medic.errors import EditRefused, UsageError
from medic.records import dataclass, replace

State = Literal["pending", "applied", "undone"]
_RECORD = "record.json"


@dataclass(frozen=True)
class Touched:
    """One file of a change. ``target`` is the real file behind links; hashes are SHA-256."""

    file: str
    target: str
    before: str
    after: str
    mode: int
    temporary: str


@dataclass(frozen=True)
class ChangeRecord:
    """One applied change. ``pending``: it was cut off between two files."""

    id: str
    time: float
    state: State
    touched: tuple[Touched, ...]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(t.file for t in self.touched)


def _root() -> Path:
    return state_dir("changes")


def folder(record_id: str) -> Path:
    return _root() / record_id


def new_id() -> str:
    """Takes the next free number by making its folder."""
    taken = [int(p.name[1:]) for p in _root().iterdir() if _is_id(p.name)]
    number = max(taken, default=0)
    while True:
        number += 1
        try:
            folder(f"c{number}").mkdir(mode=PRIVATE_FOLDER)
        except FileExistsError:
            continue
        return f"c{number}"


def _is_id(name: str) -> bool:
    return name[:1] == "c" and name[1:].isdecimal() and name.isascii()


def save(record: ChangeRecord) -> ChangeRecord:
    """Writes the record in one step, so that it is never half there.

    In ASCII: a file name need not be UTF-8.
    """
    from dataclasses import asdict  # most who load this only read records

    place = folder(record.id) / _RECORD
    write_whole(place, json.dumps(asdict(record), indent=1).encode())
    return record


def with_state(record: ChangeRecord, state: State) -> ChangeRecord:
    return save(replace(record, state=state))


def backup(record_id: str, number: int) -> Path:
    return folder(record_id) / f"{number}.before"


def overwritten(record_id: str, number: int) -> Path:
    """What later edits wrote into a file that was restored all the same."""
    return folder(record_id) / f"{number}.overwritten"


def kept_of(record: ChangeRecord) -> list[Path]:
    """Where the texts are kept that restoring a change replaced."""
    every = (overwritten(record.id, number) for number in range(len(record.touched)))
    return [path for path in every if path.is_file()]


def load(record_id: str) -> ChangeRecord:
    """A change by its id, ``c7`` or ``7``. Raises UsageError if there is none."""
    name = record_id if record_id.startswith("c") else f"c{record_id}"
    try:
        if not _is_id(name):
            raise ValueError(name)
        data: dict[str, Any] = json.loads((folder(name) / _RECORD).read_bytes())
        touched = tuple(Touched(**entry) for entry in data.pop("touched"))
        return ChangeRecord(**data, touched=touched)
    except (OSError, ValueError, TypeError, KeyError):
        raise UsageError(
            f"there is no change {record_id}", f"没有编号为 {record_id} 的修改"
        ) from None


def changes() -> list[ChangeRecord]:
    """All changes, oldest first. One whose record cannot be read is left out."""
    return sorted(_readable(), key=lambda record: int(record.id[1:]))


def _readable() -> Iterator[ChangeRecord]:
    for path in _root().iterdir():
        if _is_id(path.name) and (path / _RECORD).is_file():
            try:
                yield load(path.name)
            except UsageError:
                continue


def newest() -> ChangeRecord:
    """The newest change below the working folder that is not undone.

    Raises EditRefused if there is none; it names the newest change elsewhere.
    """
    open_ones = [record for record in changes() if record.state != "undone"]
    if not open_ones:
        raise EditRefused("there is nothing to undo", "没有可撤销的修改")
    here = Path.cwd().resolve()
    below = [record for record in open_ones if _is_below(record, here)]
    if below:
        return below[-1]
    last = open_ones[-1]
    files = ", ".join(touched.target for touched in last.touched)
    raise EditRefused(
        f"no file below this folder has a change to undo; the newest elsewhere is of {files}: "
        f"medic undo {last.id}",
        f"当前目录下没有可撤销的修改；其他位置最近一次修改的是 {files}：medic undo {last.id}",
    )


def newest_before(record: ChangeRecord) -> ChangeRecord | None:
    """The change below the working folder before this one that is not undone."""
    here = Path.cwd().resolve()
    older = [r for r in changes() if int(r.id[1:]) < int(record.id[1:]) and r.state != "undone"]
    return next((r for r in reversed(older) if _is_below(r, here)), None)


def _is_below(record: ChangeRecord, here: Path) -> bool:
    """Whether the change is of a file of this folder, or of one that a link in it leads to."""
    return any(
        Path(touched.target).is_relative_to(here) or _leads_to(touched, here)
        for touched in record.touched
    )


def _leads_to(touched: Touched, here: Path) -> bool:
    named = Path(os.path.normpath(here / touched.file))
    return named.is_relative_to(here) and os.path.realpath(named) == touched.target
