"""Copying that says where the text went: tmux, the terminal, and always a file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from medic.config import state_dir, write_private
from medic.errors import UsageError
from medic.i18n import Text, plain
from medic.text.safetext import one_line

from . import words_more

FILE = "copied.txt"
SECONDS = 2.0
SHOWN = 40  # columns of what was copied


def copy(text: str, to_terminal: Callable[[str], None]) -> Text:
    """Copies a text; says which way it went.

    In tmux through ``load-buffer -w``, which tmux hands to the outer terminal (tmux refuses OSC 52
    from programs inside it by default); else ``to_terminal`` sends OSC 52, which nobody confirms.
    """
    kept = _to_file(text)
    shown = plain(str(kept)) if kept else words_more.NO_FILE
    what = one_line(text.strip().partition("\n")[0], SHOWN)
    if _to_tmux(text):
        return words_more.COPIED_TMUX.fill(what=what, file=shown)
    to_terminal(text)
    return words_more.COPIED_OSC.fill(what=what, file=shown)


def _to_tmux(text: str) -> bool:
    if not os.environ.get("TMUX"):
        return False
    command = ["tmux", "load-buffer", "-w", "-"]
    data = text.encode("utf-8", "replace")
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _to_file(text: str) -> Path | None:
    """The state folder's copy, readable by its owner only."""
    try:
        file = state_dir() / FILE
        write_private(file, text.encode("utf-8", "replace"))
    except (OSError, UsageError):
        return None
    return file
