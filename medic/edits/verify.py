"""Reads the edited files again: the intended values are there, and nothing else is different."""

from __future__ import annotations

import math
from collections.abc import Mapping

from medic.edits.sources import Expected, Sources
from medic.edits.trees import Path, flatten
from medic.facts import Document, Word
from medic.i18n import Text
from medic.run_config import Scalar
from medic.text.patterns import regex

_SETS = regex(r"[A-Za-z_]\w*=")
Edits = Mapping[tuple[int, int], str]
_LINE, _COMMANDS = Text("the command line", "命令行"), Text("the commands", "各条命令")


def verify(sources: Sources) -> list[Text]:
    """Reasons to refuse the edits; empty if each file reads as before but for what was meant."""
    refused = []
    for before, after, expected, edits in sources.edited():
        shell = before.syntax == "shell"
        odd: str | Text
        if expected.joined or expected.parted:
            odd = _joined(before, after, edits, expected.parted)
        else:
            data = sources.data(before.file)
            odd = _shell(before, after, edits, data) if shell else _tree(before, after, expected)
        if odd:
            text = Text(
                "{file}: the edit would change {odd} as well",
                "{file}：该修改会连带改变 {odd}",
            )
            refused.append(text.fill(file=before.file, odd=odd))
    return refused


def _tree(before: Document, after: Document, expected: Expected) -> str:
    """The first key that is not as expected, or ""."""
    old = {_moved_path(p, expected.moved): v for p, v in flatten(before.root)}
    new = dict(flatten(after.root))
    for path, value in expected.values.items():
        if path not in new or not _reads_as(new[path], value):
            return ".".join(path)
    for path in (*old, *new):
        meant = path in expected.values or any(path[: len(g)] == g for g in expected.gone)
        if not meant and _shown(old, path) != _shown(new, path):
            return ".".join(path)
    return ""


def _moved_path(path: Path, moved: Mapping[Path, Path]) -> Path:
    for old, new in moved.items():
        if path[: len(old)] == old:
            return (*new, *path[len(old) :])
    return path


def _shown(values: Mapping[Path, Scalar], path: Path) -> str:
    return repr(values[path]) if path in values else "-"


def _reads_as(found: Scalar, value: Scalar) -> bool:
    """Equal, also where the number or word stands in quotes."""
    if isinstance(found, bool) or isinstance(value, bool):
        return found is value or str(found).lower() in _words(value)
    if isinstance(found, str) and isinstance(value, (int, float)):
        if found[-1:].isalpha():  # 300B
            return True
        try:
            found = float(found.replace("_", "").replace(",", ""))
        except ValueError:
            return False
    if isinstance(found, (int, float)) and isinstance(value, (int, float)):
        return math.isclose(found, value, rel_tol=1e-12)
    return found == value


def _words(value: Scalar) -> tuple[str, ...]:
    return ("true", "yes", "on", "1") if value else ("false", "no", "off", "0")


# --- shell ----------------------------------------------------------------------------------


def _shell(before: Document, after: Document, edits: Edits, data: bytes) -> str | Text:
    """The first word that differs though its own bytes were not edited, or ""."""
    if len(after.problems) > len(before.problems):
        return _LINE
    old_ranges = list(edits)
    new_ranges = _moved(edits)
    if len(before.every_command) != len(after.every_command):
        return _COMMANDS
    for one, other in zip(before.every_command, after.every_command, strict=True):
        kept = [w for w in one.words if not _touched(w, old_ranges)]
        now = [w for w in other.words if not _touched(w, new_ranges)]
        if len(kept) != len(now):
            return _LINE
        for a, b in zip(kept, now, strict=True):
            if a.value != b.value and not _by_variable(a, b, edits, data):
                return a.raw
    return ""


def _by_variable(before: Word, after: Word, edits: Edits, data: bytes) -> bool:
    """Whether a word differs only as the variable that it shows holds the edited text."""
    value = before.value
    if value is None or "$" not in before.raw:
        return False
    for (start, end), text in edits.items():
        value = value.replace(data[start:end].decode("utf-8", "replace"), text, 1)
    return value == after.value


def _joined(before: Document, after: Document, edits: Edits, parted: int) -> str | Text:
    """Where lines or words are put together no other word is lost or made, and no command added but
    those that are ``parted``.

    Of a script that the shell refuses nothing is certain but that it is read afterwards.
    """
    if _refused(before) and not _refused(after):
        return ""
    old, new = _words_of(before, list(edits)), _words_of(after, _moved(edits))
    if before.problems and not after.problems and old <= new:
        return ""
    more = len(after.every_command) - len(before.every_command)
    kept = more <= 0 and old == new
    if parted:  # what was an argument may set a variable now, and ``export`` lists no words
        kept = more == parted and all(_SETS.match(word) for word in old - new)
    return "" if kept and len(after.problems) <= len(before.problems) else _COMMANDS


def _refused(document: Document) -> bool:
    return any(problem.kind == "refused" for problem in document.problems)


def _words_of(document: Document, edited: list[tuple[int, int]]) -> set[str]:
    """What the commands say beside the edited words, without the blanks that a backslash made words
    of.

    A command within a text or a function is listed where it is used: the order may differ.
    """
    words = (word for command in document.every_command for word in command.words)
    here = (w for w in words if w.raw.strip("\\ \t"))
    return {w.raw for w in here if not any(s < w.span.end and w.span.start < e for s, e in edited)}


def _moved(edits: Edits) -> list[tuple[int, int]]:
    """Where the edited bytes stand afterwards."""
    ranges, shift = [], 0
    for (start, end), text in sorted(edits.items()):
        size = len(text.encode())
        ranges.append((start + shift, start + shift + size))
        shift += size - (end - start)
    return ranges


def _touched(word: Word, ranges: list[tuple[int, int]]) -> bool:
    places = [word.span] if word.literal is None else [word.span, word.literal]
    return any(start < place.end and place.start < end for place in places for start, end in ranges)
