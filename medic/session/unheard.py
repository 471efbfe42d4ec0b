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
from medic.config import PRIVATE_FILE, state_dir
from medic.errors import MedicError

if TYPE_CHECKING:
    from medic.session.saved import Saved

MAX_SAID = 64 * 1024 * 1024
_numbers = count(1)


def keep(said: Mapping[str, Any], case: Case, session: str = "", *, demo: bool = False) -> str:
    """Writes what was said of a case, in ``session`` if it has begun; the path of it, "" where it
    cannot be written."""
    owner = {"host": socket.gethostname(), "pid": os.getpid(), "number": next(_numbers)}
    about: dict[str, Any] = {"cwd": str(Path.cwd()), "paths": list(case.paths)}
    about |= {"root": case.root, "run": case.run}
    about |= {"given": dict(case.given), "this_host": case.this_host, "text": case.pasted}
    record = owner | {"said": dict(said), "case": about, "session": session, "demo": demo}
    try:
        file = state_dir("unheard") / f"{owner['pid']}-{owner['number']:06}.json"
        part = file.with_suffix(".part")
        with os.fdopen(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "w"
        ) as out:
            json.dump(record, out)
        part.replace(file)
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
    with suppress(MedicError, OSError):
        left = sorted(state_dir("unheard").glob("*.json"))
        every = [(record, file) for file in left if (record := _read(file)) is not None]
        for _, group in groupby(every, key=lambda one: one[0]["pid"]):
            mine = list(group)
            if _into_session([record for record, _ in mine]):
                for _, file in mine:
                    is_kept(str(file))


def _read(file: Path) -> dict[str, Any] | None:
    """What a process of this machine left that has ended; None for anything else."""
    try:
        with file.open("rb") as opened:
            record = json.loads(opened.read(MAX_SAID))
        whole = isinstance(record["said"], dict) and isinstance(record["case"]["paths"], list)
        if not whole or record["host"] != socket.gethostname() or _lives(int(record["pid"])):
            return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return dict(record)


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
    paths = tuple(str(Path(about["cwd"]) / path) for path in about["paths"])
    root = str(Path(about["cwd"]) / about["root"]) if about["root"] else ""
    case = Case(
        paths=paths,
        root=root,
        run=about["run"],
        given=about["given"],
        this_host=about["this_host"],
        pastes=(about["text"],) if about["text"] else (),
    )
    keeper = Keeper.new()
    keeper.keep(Session(Index({}), case), taken=0, demo=bool(record["demo"]))
    return keeper.id
