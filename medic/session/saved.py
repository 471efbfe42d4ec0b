"""Consultations kept in the state folder, one folder each, saved at every step.

``state.json`` holds all that cannot be read again (answers, words, tried remedies, changes) and is
replaced in one step; ``talk.jsonl`` grows by one line for each thing said, and a line that a crash
cut off is passed over. Evidence is not kept: it is read anew from the files.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic import __version__
from medic.config import PRIVATE_FILE, PRIVATE_FOLDER, state_dir, write_whole
from medic.errors import UsageError
from medic.i18n import Text
from medic.records import dataclass
from medic.session.intact import broken_field, is_record
from medic.session.opened import hold, is_open
from medic.session.said import said
from medic.session.where import where_of

if TYPE_CHECKING:
    from medic.session.consultation import Session

STATE, TALK, PASTED = "state.json", "talk.jsonl", "pasted.txt"
FORMAT = 1
NAMED = 2  # parts of a path that name a run
MAX_STATE = 16 * 1024 * 1024
MAX_TALK = 64 * 1024 * 1024


@dataclass(frozen=True)
class Saved:
    """One kept consultation as a list shows it. Times are seconds since the epoch."""

    id: str
    opened: float
    changed: float
    root: str
    verdict: str
    title: Text | None
    code: str
    answers: int
    data: Mapping[str, Any]

    @property
    def folder(self) -> str:
        """The folder or file that was looked at, in full; "" where only text was pasted."""
        return os.path.normpath(Path(self.data["case"]["cwd"]) / self.root) if self.root else ""

    @property
    def is_open(self) -> bool:
        """Whether it is open elsewhere just now."""
        return is_open(folder_of(self.id))

    @property
    def place(self) -> str:
        """The folder as people name it: by its last two parts, from home on."""
        home = os.path.expanduser("~").rstrip("/")  # noqa: PTH111 - no home is no error
        full = self.folder
        if home and (full == home or full.startswith(f"{home}/")):
            full = f"~{full[len(home) :]}"
        parts = full.split("/")
        return full if len(parts) <= NAMED + 1 else "/".join(["\u2026", *parts[-NAMED:]])


class Keeper:
    """Writes one consultation as it goes."""

    def __init__(self, name: str, opened: float = 0.0) -> None:
        self.id = name
        self.opened = opened or time.time()
        self.folder = folder_of(name)
        self._lock = hold(self.folder)  # until it is gone: see is_open
        self._pasted: str | None = None

    @classmethod
    def new(cls) -> Keeper:
        """Takes the next free number by making its folder. Raises UsageError, OSError."""
        number = max((int(n[1:]) for n in _names()), default=0)
        while True:
            number += 1
            try:
                folder_of(f"s{number}").mkdir(mode=PRIVATE_FOLDER)
            except FileExistsError:
                continue
            return cls(f"s{number}")

    @property
    def begun(self) -> bool:
        """Whether there is a state that can be read."""
        return (self.folder / STATE).exists()

    def keep(self, session: Session, **more: Any) -> None:
        """Writes the state; ``more`` is what the caller wants to find again. Raises OSError."""
        case = session.case
        if case.pasted != self._pasted:
            write_whole(self.folder / PASTED, case.pasted.encode("utf-8", "replace"))
            self._pasted = case.pasted
        pastes = [len(text) for text in case.pastes]
        data = {
            "format": FORMAT,
            "medic": __version__,
            "opened": self.opened,
            "changed": time.time(),
            "case": where_of(case) | {"pastes": pastes, "left_out": list(session.left_out)},
            "said": said(session),
            "applied": [asdict(a) for a in session.applied],
            **more,
        }
        write_whole(self.folder / STATE, json.dumps(data).encode())

    def copy_talk(self, name: str) -> None:
        """Begins with the talk of another consultation. Raises OSError."""
        with suppress(FileNotFoundError), (folder_of(name) / TALK).open("rb") as file:
            write_whole(self.folder / TALK, file.read(MAX_TALK))

    def say(self, record: Mapping[str, Any]) -> None:
        """Adds one thing said. Raises OSError."""
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(self.folder / TALK, flags, PRIVATE_FILE)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)


# --- reading --------------------------------------------------------------------------------


def folder_of(name: str) -> Path:
    """Where a consultation is kept."""
    return state_dir("sessions") / name


def _names() -> list[str]:
    return [p.name for p in state_dir("sessions").iterdir() if _is_id(p.name)]


def _is_id(name: str) -> bool:
    return name[:1] == "s" and name[1:].isdecimal() and name.isascii()


def listed() -> list[Saved]:
    """All kept consultations that can be read, the newest first."""
    from medic.session.unheard import take_in

    take_in()
    found = [saved for saved in map(_readable, _names()) if saved]
    return sorted(found, key=lambda s: (-s.changed, -int(s.id[1:])))


def unreadable() -> list[str]:
    """The ids of those that cannot be read."""
    begun = [n for n in _names() if (folder_of(n) / STATE).exists()]
    return sorted((n for n in begun if not _readable(n)), key=lambda n: int(n[1:]))


def _readable(name: str) -> Saved | None:
    try:
        return load(name)
    except UsageError:
        return None


def load(name: str) -> Saved:
    """A consultation by its id, ``s7`` or ``7``. Raises UsageError for none and a broken one."""
    name = f"s{name}" if name.isdecimal() else name
    try:
        if not _is_id(name):
            raise FileNotFoundError(name)
        with (folder_of(name) / STATE).open("rb") as file:
            data = json.loads(file.read(MAX_STATE))
    except FileNotFoundError:
        raise UsageError(
            f"there is no session {name}; medic sessions lists them",
            f"没有编号为 {name} 的会话；medic sessions 可列出全部",
        ) from None
    except OSError as problem:
        raise _cannot_read(name, problem.strerror or STATE) from None
    except (ValueError, RecursionError):
        raise _cannot_read(name, f"{STATE}: JSON") from None
    if (where := broken_field(data)) or data["format"] != FORMAT:
        raise _cannot_read(name, f"{STATE}: {where or 'format'}")
    said, leader = data["said"], data.get("leader") or {}
    return Saved(
        name,
        float(data["opened"]),
        float(data["changed"]),
        data["case"]["root"],
        data.get("verdict") or "",
        Text(*leader["title"]) if leader else None,
        leader.get("code", ""),
        len(said["answers"]) + len(said["unknown"]),
        data,
    )


def _cannot_read(name: str, at: str) -> UsageError:
    return UsageError(f"session {name} cannot be read ({at})", f"会话 {name} 无法读取（{at}）")


def chosen(name: str | None) -> Saved:
    """The consultation of that name, or the one changed last that is open nowhere else: of the
    current folder and what is below it, if there is any, else of all. Raises UsageError if there is
    none."""
    if name:
        return load(name)
    kept = listed()
    if not kept and (broken := unreadable()):
        return load(broken[-1])  # raises, saying why
    if not kept:
        raise UsageError("no session is kept yet", "还没有保存过会话")
    kept = [s for s in kept if not s.is_open] or kept
    here = str(Path.cwd())
    own = (s for s in kept if s.folder == here or s.folder.startswith(f"{here.rstrip('/')}/"))
    return next(own, kept[0])


def taken_back(change: str) -> bool:
    """Whether a change that a consultation made was undone, there or with ``medic undo``."""
    from medic.edits import records

    try:
        return bool(change) and records.load(change).state == "undone"
    except UsageError:  # its record is gone: nothing says that it was
        return False


def talk_of(name: str) -> Iterator[dict[str, Any]]:
    """What was said, oldest first; a line that a crash cut off is passed over."""
    try:
        with (folder_of(name) / TALK).open("rb") as file:
            data = file.read(MAX_TALK)
    except OSError:
        return
    for row in data.split(b"\n"):
        try:
            record = json.loads(row)
        except (ValueError, RecursionError):
            continue
        if is_record(record):
            yield record
