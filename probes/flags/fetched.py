"""Where a script may get variables that it does not set: files that it reads, ``eval``, ``set -a``."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from medic.facts import Document
from medic.text.patterns import regex

from .script_text import ScriptText

# Whatever reads another file, or makes tools ready.
ANY = regex(r"^\s*(?:source|\.|eval|set\s+-a|module)\s", re.MULTILINE)
# The same but for files that only make tools ready.
FETCHES = regex(
    r"^\s*(?:(?:source|\.)\s+(?!\S*(?:activate|set_env\.sh|setvars\.sh|conda\.sh|bashrc|/etc/\S+)\b)"
    r"|eval\s+(?!\"?\$(?:\((?:\S*conda|mamba|micromamba|pyenv)\b|\{?[A-Za-z_]))|set\s+-a)",
    re.MULTILINE,
)
_FILE = regex(
    r"\s*(?:source|\.)[ \t]+(?:[^\n;&|]*/)?[\"']?([\w.+-]+)[\"']?[ \t]*(?=$|[;&|#])", re.MULTILINE
)
_READS = frozenset(("source", ".", "eval"))


def fetches(script: ScriptText, document: Document) -> bool:
    """Whether something but its own lines, and files that are read here with it, may set a variable
    of the script."""
    known = {PurePosixPath(path).name for path in document.sourced}
    for found in FETCHES.finditer(script.text):
        file = _FILE.match(script.text, found.start())
        if file is None or file[1] not in known:
            return True
    return any(
        one.words[0].value in _READS
        and not (one.words[1:] and PurePosixPath(one.words[1].raw.strip("\"'")).name in known)
        for one in document.brought
        if one.words
    )
