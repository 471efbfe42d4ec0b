"""Whether what a path stands for is there: a file, a pattern of names, a prefix of two files."""

from __future__ import annotations

import os
import re
from pathlib import Path

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
