"""A failure of medic itself: one line to the user, the details in a file."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from collections.abc import Sequence

from medic import __version__
from medic.config import state_dir
from medic.errors import Exit
from medic.i18n import Text
from medic.report.console import Console


def report(problem: Exception, words: Sequence[str]) -> int:
    """Writes the report file and says where it is. Returns the exit code of a bug."""
    details = "".join(traceback.format_exception(problem))
    text = (
        f"# medic bug report\n\nmedic {__version__}, Python {sys.version.split()[0]}, "
        f"{platform.platform()}\n\ncommand: medic {' '.join(words)}\n\n```\n{details}```\n"
    )
    console = Console()
    line = f"{type(problem).__name__}: {problem}"
    try:
        file = state_dir() / f"bug-{time.strftime('%Y%m%d-%H%M%S')}.md"
        file.write_text(text, "utf-8", errors="replace")
    except OSError:
        console.error(line)
        return Exit.BUG
    said = Text(
        "medic itself failed ({line}); the details are in {file}",
        "medic 自身出错（{line}）；详情见 {file}",
    )
    console.error(said.fill(line=line, file=str(file)))
    return Exit.BUG
