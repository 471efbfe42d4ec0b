"""The script that starts the run, and which files it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from medic.errors import MedicError
from medic.runner.look import open_regular

if TYPE_CHECKING:
    from medic.facts import GivenFile
    from medic.session.consultation import Session

MAX_SCRIPT = 64 * 1024


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
