"""What a failure says in the transcript."""

from __future__ import annotations

import traceback

from medic.config import state_dir, write_private
from medic.errors import KnowledgeError, MedicError
from medic.i18n import Text

from . import words_more
from .lines import Block, said

FILE = "app-error.txt"


def told(problem: Exception) -> Block:
    """An expected failure in one line; anything else is a bug, kept in a file to report."""
    if isinstance(problem, MedicError):
        text = Text(problem.line("en"), problem.line("zh"))
        if isinstance(problem, KnowledgeError):
            text = words_more.KNOWLEDGE_FAILED.fill(why=text)
        return said(text, "bad")
    what = f"{type(problem).__name__}: {problem}"
    return said(words_more.BUG.fill(what=what, file=_kept(problem)), "bad")


def _kept(problem: Exception) -> str:
    """Writes the traceback to the state folder; the name of the file."""
    text = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
    try:
        file = state_dir() / FILE
        write_private(file, text.encode("utf-8", "replace"))
    except (OSError, MedicError):
        return FILE
    return str(file)
