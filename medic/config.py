"""Where medic keeps its own files, and the limits of what it reads.

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

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

CONFIG_BYTES = 2 * MIB  # a configuration file or script above this is not read
LINE_BYTES = 64 * KIB  # a log line is cut here
LOG_BYTES = 4 * GIB  # a larger log is read at its two ends only
LOG_HEAD_BYTES = 256 * MIB
LOG_TAIL_BYTES = 2 * GIB
YAML_NODES = 10_000  # expanded nodes of a document, aliases counted each time
SAFETENSORS_HEADER_BYTES = 100 * MIB  # the format's own limit
FOLDER_DEPTH = 4
FOLDER_ENTRIES = 20_000
FOLDER_SECONDS = 2.0


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
