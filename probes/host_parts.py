"""A path of a launch as this machine has it: a file, a pattern of names, a prefix of two files."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from medic.facts import Place, Source

# A Megatron data path is a prefix of two files (megatron/core/datasets/indexed_dataset.py).
_PAIR = (".bin", ".idx")
_PARTS = (*_PAIR, "_text_document.bin")


def exists(path: Path) -> bool:
    """Whether a path is there, or what it stands for: a glob, or a prefix of two files."""
    try:
        if path.exists() or any(Path(f"{path}{end}").exists() for end in _PARTS):
            return True
        if re.search(r"[*?\[{]", path.name):
            head = re.split(r"[*?\[{]", path.name)[0]
            with os.scandir(path.parent) as entries:
                return any(e.name.startswith(head) for e in entries)
        return bool(re.search(r"[*?\[{]", str(path)))
    except OSError:
        return False


def lacking(path: Path) -> str:
    """The ending of the file that is not there beside the other one of a pair; "" for none."""
    try:
        there = [end for end in _PAIR if Path(f"{path}{end}").is_file()]
        if len(there) != 1 or path.exists():
            return ""
    except OSError:
        return ""
    return next(end for end in _PAIR if end not in there)


def place_of(key: str, path: str, source: Source) -> Place:
    full = Path(path).expanduser()
    holder = holder_of(full)
    free, files = _space(holder)
    return Place(
        key=key,
        path=path,
        exists=exists(full),
        lacks=lacking(full),
        writable=os.access(holder, os.W_OK | os.X_OK),
        source=source,
        holder=str(holder),
        free=free,
        free_files=files,
    )


def holder_of(path: Path) -> Path:
    return next((f for f in (path, *path.absolute().parents) if _is_folder(f)), Path("/"))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _space(folder: Path) -> tuple[int | None, int | None]:
    """Free bytes and free files; None where the file system does not tell."""
    try:
        told = os.statvfs(folder)
        return shutil.disk_usage(folder).free, told.f_favail if told.f_files else None
    except OSError:
        return None, None


def is_relative(path: str) -> bool:
    return not path.startswith(("/", "~"))


def lies_at(path: str, folders: Sequence[Path]) -> bool:
    """Whether a relative path leads somewhere from a script's folder or one above: whether it does
    from here tells nothing."""
    above = (f for folder in folders for f in (folder, *folder.parents))
    return is_relative(path) and any((f / path).exists() for f in above)
