"""What a user said and no session holds yet: it is on the disk at once, and belongs to a session as
soon as one can be read. What a kill left here is taken in by the session that was talked to, or by
one of its own."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.case.collect import Case
from medic.config import state_dir, write_whole
from medic.errors import MedicError
from medic.session.intact import is_unheard
from medic.session.where import case_at, where_of

if TYPE_CHECKING:
    from medic.session.saved import Saved

MAX_SAID = 64 * 1024 * 1024
_numbers = count(1)


def keep(said: Mapping[str, Any], case: Case, session: str = "", *, demo: bool = False) -> str:
    """Writes what was said of a case, in ``session`` if it has begun; the path of it, "" where it
    cannot be written."""
    owner = {"host": socket.gethostname(), "pid": os.getpid(), "number": next(_numbers)}
    about = where_of(case) | {"text": case.pasted}
    record = owner | {"said": dict(said), "case": about, "session": session, "demo": demo}
    try:
        file = state_dir("unheard") / f"{owner['pid']}-{owner['number']:06}.json"
        write_whole(file, json.dumps(record).encode())
    except (MedicError, OSError, TypeError, ValueError):
        return ""
    return str(file)


def is_kept(path: str) -> None:
    """A session has it now."""
    if path:
        with suppress(OSError):
            Path(path).unlink(missing_ok=True)


def take_in() -> None:
    """What processes that are gone have left becomes part of a session, where it waits."""
    try:
        left = sorted(state_dir("unheard").glob("*.json"))
    except (MedicError, OSError):
        return
    every = [(record, file) for file in left if (record := _read(file)) is not None]
    for _, group in groupby(every, key=lambda one: one[0]["pid"]):
        mine = list(group)
        with suppress(MedicError, OSError):  # of a session that is gone or broken they stay
            if _into_session([record for record, _ in mine]):
                for _, file in mine:
                    is_kept(str(file))


def _read(file: Path) -> dict[str, Any] | None:
    """What a process of this machine left that has ended; None for anything else."""
    try:
        with file.open("rb") as opened:
            record: dict[str, Any] = json.loads(opened.read(MAX_SAID))
    except (OSError, ValueError, RecursionError):
        return None
    gone = is_unheard(record) and record["host"] == socket.gethostname()
    return record if gone and not _lives(record["pid"]) else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _into_session(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a session has taken them: not one that is open just now."""
    from medic.session import awaited
    from medic.session.saved import folder_of, load

    name = next((str(r["session"]) for r in records if r["session"]), "") or _bare(records[0])
    saved: Saved = load(name)
    if saved.is_open:
        return False
    waits = awaited.kept(saved)
    last = max([saved.data.get("taken", 0), *(one["number"] for one in waits)])
    new = [{**r["said"], "number": last + n} for n, r in enumerate(records, start=1)]
    awaited.keep(folder_of(saved.id), [*waits, *new])
    return True


def _bare(record: Mapping[str, Any]) -> str:
    """A session of which nothing is known but its case; its id."""
    from medic.index.knowledge import Index
    from medic.session.consultation import Session
    from medic.session.saved import Keeper

    about = record["case"]
    case = case_at(about, [about["text"]] if about["text"] else [])
    keeper = Keeper.new()
    keeper.keep(Session(Index({}), case), taken=0, demo=bool(record["demo"]))
    return keeper.id
