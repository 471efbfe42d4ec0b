"""Whether a kept consultation is open: the process that writes it holds a lock on its folder, which
the system takes back however that process ends."""

from __future__ import annotations

import os
from pathlib import Path

from medic.config import PRIVATE_FILE

LOCK = "lock"


class Held:
    """A folder's lock, for as long as this lives."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __del__(self) -> None:
        os.close(self.handle)


def hold(folder: Path) -> Held | None:
    """Locks a folder; None where another process has it, or where the file system knows no locks."""
    import fcntl

    try:
        held = Held(os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
        fcntl.flock(held.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return held


def is_open(folder: Path) -> bool:
    """Whether another process, or another talk of this one, holds the folder."""
    import fcntl

    try:
        with (folder / LOCK).open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
