"""Files that a script sources: beside the script, as it names them, or among those given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath


def sourced(script: str, name: str, given: Sequence[str]) -> str | None:
    """The path of what ``script`` calls ``name``; None where it is not there. Nothing is looked for
    outside of the script's folder and those above that a relative name leads to."""
    own = PurePath(name)
    paths = {_real(path): path for path in given}
    beside = Path(script).parent / (own.name if _is_beside(own, script) else own)
    if not own.is_absolute() or _is_beside(own, script):
        try:
            there = beside.is_file()
        except (OSError, ValueError):
            there = False
        if there:
            return paths.get(_real(str(beside)), str(beside))
    same = [path for path in given if PurePath(path).name == own.name and path != script]
    return same[0] if len(same) == 1 else None


def _is_beside(own: PurePath, script: str) -> bool:
    return own.is_absolute() and _real(str(own.parent)) == _real(str(Path(script).parent))


def _real(path: str) -> str:
    return str(Path(path).resolve())
