"""Files that a script reads in: ``source env.sh``, ``. "$(dirname "$0")/common.sh"``."""

from __future__ import annotations

from collections.abc import Callable

from medic.errors import Unreadable
from medic.syntax.shell_atoms import Variable
from medic.syntax.source import SourceText
from medic.text.patterns import regex

# (the script, how it names the other file) -> (that file's path, its bytes), None where it is not there.
Find = Callable[[str, str], "tuple[str, bytes] | None"]

MAX_FILES, MAX_WITHIN = 8, 4
MAX_PLAIN = 16 * 1024  # bytes of a file of arguments
MAX_SOURCED = 256 * 1024  # bytes; what is larger prepares tools
_HEAD = regex(
    r"^[\"']?(?P<head>\$\(.+\)|`[^`]+`|\$\{[^}]+\}|\$\w+)[\"']?/(?P<tail>[\w./+-]+)[\"']?$"
)
# What makes tools ready, and what sets variables, by their names.
_TOOLS = regex(r"(?:activate|bashrc|profile|conda\.sh)$")
_SETS = regex(r"\.(?:sh|bash|env|inc)$|(?:^|[/._-])env(?:[._-]\w+)*$")
_TEXT = regex(r"[^\x00-\x08\x0b-\x1f\x7f]*")
_NAME = regex(r"^\$\{?(\w+)\}?$")
# How a script names the folder that it lies in, or that it is started from.
_OWN_FOLDER = regex(
    r"BASH_SOURCE|\$\{?0\b|\bdirname\b|^\$\(\s*pwd|^\$\{?(?:PWD|SLURM_SUBMIT_DIR|PBS_O_WORKDIR)\}?$"
)


class Sourced:
    """Finds and reads them; each once, and not more than ``MAX_FILES``."""

    def __init__(self, source: SourceText, find: Find | None) -> None:
        self._script = source.file
        self._find = find
        self.read: dict[str, SourceText] = {}

    def _found(self, name: str) -> tuple[str, bytes] | None:
        if self._find is None or not name or _TOOLS.search(name):
            return None
        found = self._find(self._script, name)
        there = found is not None and found[0] != self._script and len(found[1]) <= MAX_SOURCED
        return found if there else None

    def plain_text(self, name: str) -> str | None:
        """What a small text file beside the script says; None where it is none."""
        found = self._found(name)
        if found is None or len(found[1]) > MAX_PLAIN:
            return None
        try:
            text = found[1].decode("utf-8")
        except UnicodeDecodeError:
            return None
        return text if text.isprintable() or _TEXT.fullmatch(text) else None

    def is_there(self, name: str) -> bool:
        """Whether a file that scripts source lies where this one is said to be."""
        return _SETS.search(name) is not None and self._found(name) is not None

    def text(self, name: str) -> SourceText | None:
        """The file that the script calls so; None where it cannot be read."""
        found = self._found(name)
        if found is None:
            return None
        path, data = found
        if path not in self.read:
            if len(self.read) >= MAX_FILES:
                return None
            try:
                self.read[path] = SourceText(data, path, any_bytes=True)
            except Unreadable:
                return None
        return self.read[path]


def name_of(raw: str, value: str | None, variables: dict[str, Variable], source: SourceText) -> str:
    """How a word names a file, as seen from the script's folder; "" where that is not known."""
    if value is not None:
        return value
    found = _HEAD.match(raw)
    if found is None:
        return ""
    head, tail = found["head"], found["tail"]
    plain = _NAME.match(head)
    variable = variables.get(plain[1]) if plain is not None else None
    if variable is None:
        return tail if _OWN_FOLDER.search(head) else ""
    atoms = variable.atoms
    rest = [atom.text for atom in atoms[1:]]
    if not atoms or atoms[0].text is not None or None in rest:
        return ""
    written = source.body[atoms[0].start : atoms[0].end].decode("utf-8", "replace")
    if not _OWN_FOLDER.search(written):
        return ""
    return "".join((*(text or "" for text in rest), "/", tail)).lstrip("/")
