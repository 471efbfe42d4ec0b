"""Under which conditions the commands of a script run."""

from __future__ import annotations

from functools import cached_property

from medic.run_config import Span
from medic.text.patterns import regex

from .script_text import ScriptText

_TOKEN = regex(r"(\n)|(;;&?|;&)|([;&|()!{}])|((?:\\[\s\S]|[^\s;&|()!{}\\])+)")
_FUNCTION = regex(r"(?:\bfunction\s+[\w-]+|[\w-]+\s*\(\s*\))(?:\s*\(\s*\))?\s*$")
_TESTED = regex(r"(?:\]|\)\)|\btest\b[^;&|]*)\s*(?:&&|\|\|)[^;]*$")
_CLOSES = {"fi": "if", "esac": "case", "}": "{"}
_BEFORE_COMMANDS = frozenset(("if", "then", "elif", "else", "while", "until", "do"))
Branch = tuple[tuple[int, int], ...]


class Branches:
    """The conditions and functions of a script around its places."""

    def __init__(self, script: ScriptText) -> None:
        self._script = script

    def of(self, span: Span) -> Branch:
        """(where it opens, which of its arms) of each ``if``, ``case`` and function around a place,
        and of the test in front of a command. Two places with the same run together.
        """
        line = self._script.code[span.line - 1]
        place = self._starts[span.line - 1] + span.column - 1
        found = max((at for at in self._changes if at <= place), default=-1)
        around = self._changes.get(found, ())
        tested = _TESTED.search(line[: span.column - 1]) is not None
        return (*around, (place, 0)) if tested else around

    @cached_property
    def _starts(self) -> list[int]:
        """The character of the whole text at which each line starts."""
        found = [0]
        for line in self._script.code:
            found.append(found[-1] + len(line) + 1)
        return found

    @cached_property
    def _changes(self) -> dict[int, Branch]:
        """Where a branch begins or ends -> the branches around what follows."""
        text = "\n".join(self._script.code)
        found: dict[int, Branch] = {}
        opened: list[tuple[str, int, int]] = []  # word, place, arm
        head = True  # whether the next word is that of a command
        for token in _TOKEN.finditer(text):
            word, place = token[0], token.start()
            if head or word in "{}" or token[2]:
                _step(opened, word, place, text)
                found[place] = tuple((at, arm) for kind, at, arm in opened if kind != "{")
            head = token[4] is None or (head and word in _BEFORE_COMMANDS)
        return found


def _step(opened: list[tuple[str, int, int]], word: str, place: int, text: str) -> None:
    """What a word in the place of a command opens, parts or closes."""
    if word in ("if", "case"):
        opened.append((word, place, 0))
    elif word == "{":
        opened.append(
            ("function" if _FUNCTION.search(text[max(0, place - 80) : place]) else "{", place, 0)
        )
    elif word in _CLOSES:
        kinds = {_CLOSES[word], "function"} if word == "}" else {_CLOSES[word]}
        if opened and opened[-1][0] in kinds:
            opened.pop()
    elif word in ("else", "elif") or word.startswith((";;", ";&")):
        kind = "case" if word.startswith(";") else "if"
        if opened and opened[-1][0] == kind:
            opened[-1] = (kind, opened[-1][1], opened[-1][2] + 1)
