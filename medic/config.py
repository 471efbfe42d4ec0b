"""Where medic keeps its own files.

Everything that medic writes for itself (sessions, change backups, caches) lies below one state
folder: platformdirs' user state folder, or ``MEDIC_STATE``. Nothing stays beside a user's file.
"""

from __future__ import annotations

import os
from pathlib import Path

from medic.errors import UsageError

STATE_VARIABLE = "MEDIC_STATE"
KNOWLEDGE_VARIABLE = "MEDIC_KNOWLEDGE"
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def state_dir(*parts: str) -> Path:
    """The state folder or a folder below it, made with mode 0700 where it is missing.

    Raises UsageError if it cannot be made.
    """
    folder = _root().joinpath(*parts)
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        for part in reversed(missing):
            part.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            part.chmod(PRIVATE_FOLDER)  # the umask may have taken bits that the owner needs
    except OSError as problem:
        words = problem.strerror or "cannot be made"
        raise UsageError(
            f"the state folder cannot be made ({words}); set {STATE_VARIABLE} to a folder of yours",
            f"无法创建状态目录（{words}）；请用 {STATE_VARIABLE} 指定一个可写目录",
            at=str(folder),
        ) from None
    return folder


def write_private(file: Path, data: bytes) -> None:
    """Writes a file of the state folder, and not before it is on disk returns. Raises OSError."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def write_whole(file: Path, data: bytes) -> None:
    """The same in one step: who reads the file finds the old or the new, whole."""
    part = file.with_name(f"{file.name}.part")
    write_private(part, data)
    part.replace(file)


def cache_dir() -> Path:
    """The folder for what can be made again at any time, such as compiled knowledge."""
    return state_dir("cache")


def extra_knowledge() -> Path | None:
    """A team's own knowledge folder (``MEDIC_KNOWLEDGE``), if one is named.

    Raises UsageError if it is named and is no folder.
    """
    named = os.environ.get(KNOWLEDGE_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise UsageError(
            f"{KNOWLEDGE_VARIABLE} names no folder",
            f"{KNOWLEDGE_VARIABLE} 指向的不是目录",
            at=named,
        )
    return folder


def _root() -> Path:
    named = os.environ.get(STATE_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_state_dir

    return Path(user_state_dir("medic", appauthor=False))
