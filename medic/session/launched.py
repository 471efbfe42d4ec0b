"""The script that starts the run, which files it reads, and whether it can have had a change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from medic.errors import MedicError
from medic.runner.look import open_regular
from medic.session.rates import ran

if TYPE_CHECKING:
    from medic.facts import GivenFile
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

MAX_SCRIPT = 64 * 1024
MAX_FILE = 2 * 1024 * 1024  # bytes of a changed file


def script_of(session: Session) -> GivenFile | None:
    """The one script of the case; None where there is none, or several."""
    scripts = [f for f in session.case.files if f.kind == "script" and not f.name.startswith("<")]
    return scripts[0] if len(scripts) == 1 else None


def script_text(script: GivenFile) -> str:
    """The beginning of a script; "" where it cannot be read."""
    try:
        with open_regular(script.path) as file:
            return file.read(MAX_SCRIPT).decode("utf-8", "replace")
    except (MedicError, OSError):
        return ""


def read_instead(session: Session, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(changed file, the file of the same name elsewhere that the script reads instead)."""
    script = script_of(session)
    text = script_text(script) if script is not None else ""
    for file in map(Path, files):
        for word in re.findall(rf"[\w./-]*/{re.escape(file.name)}\b", text):
            other = Path(word)
            if other.is_absolute() and not (other.exists() and other.samefile(file)):
                yield str(file), word


def in_force(applied: Applied) -> bool:
    """Whether the files still hold what the change added; what cannot be read speaks for it."""
    lines: set[str] = set()
    try:
        for name in applied.files:
            with open_regular(name) as file:
                text = file.read(MAX_FILE).decode("utf-8", "replace")
            lines |= {line.strip() for line in text.splitlines()}
    except (MedicError, OSError):
        return True
    return all(line in lines for line in applied.added if line)


def had_it(session: Session, applied: Applied) -> bool:
    """Whether the run may have had the change."""
    return lacks(session, applied) is None


def elsewhere_unseen(session: Session, applied: Applied) -> bool:
    """Whether all that speaks against the change is a file that the script names and that is not on
    this machine, as in a folder that was copied from another: it may well hold the change."""
    if lacks(session, applied) != "elsewhere" or ran(session, applied) is not None:
        return False
    return not any(Path(other).exists() for _, other in read_instead(session, applied.files))


def lacks(session: Session, applied: Applied) -> Literal["not-in-force", "elsewhere"] | None:
    """Why the run cannot have had the change; None where it may have had it. The rate that the run
    itself logged outweighs what the files say."""
    if not applied.change:
        return None
    by_rate = ran(session, applied)
    if by_rate is not None and by_rate.as_set:
        return None
    if not in_force(applied):
        return "not-in-force"
    other = not applied.there and any(read_instead(session, applied.files))
    if other:
        return "elsewhere"
    return None if by_rate is None else "not-in-force"
