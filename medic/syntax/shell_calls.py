"""What the commands of a script do to the script itself: functions, sourced files, ``read``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.facts import Command, Word
from medic.syntax.shell_arithmetic import number_of
from medic.syntax.shell_atoms import UNKNOWN, Atom, Variable
from medic.syntax.shell_inner import as_meant, parameters
from medic.syntax.shell_rounds import Rounds
from medic.syntax.shell_sourced import MAX_WITHIN, Find, Sourced, name_of
from medic.syntax.source import SourceText
from medic.syntax.treesitter import tree_of, with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

_MAX_CALLS = 5
POSITIONAL = frozenset("@123456789")
_IS_FILE = regex(r"^(?:\[\[?\s+|test\s+)-[efrs]\s+(\S+?)(?:\s+\]\]?)?$")
_OUTSIDE = regex(rb"[^\n]")


class Calls(Rounds):
    """Follows functions and sourced files; ``brought`` are the commands that stand in the latter."""

    def __init__(self, source: SourceText, find: Find | None = None) -> None:
        super().__init__(source)
        self.functions: dict[str, tree_sitter.Node] = {}
        self.calls: set[str] = set()  # functions that are being read
        self.brought: list[Command] = []
        self.sourced = Sourced(source, find)
        self._within: list[str] = []
        self.numbers: set[str] = set()
        self.words.file_text = self.file_text

    def file_text(self, name: str) -> str | None:
        return self.sourced.plain_text(name)

    def keep(self, command: Command) -> None:
        """Takes a command that is reached to those of its file."""
        if command.span.file == self.source.file:
            self.commands.append(command)
        elif self.commands is not self.unreached:
            self.brought.append(command)

    def define(self, node: tree_sitter.Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.text(name)] = body

    # --- variables of declare -i ------------------------------------------------------------

    def declared(self, node: tree_sitter.Node) -> None:
        """Keeps the names of ``declare -i``, ``local -i``, ``typeset -i``; ``+i`` ends it."""
        options = [self.text(child) for child in with_comments(node) if child.type == "word"]
        marks = {sign for sign in "+-" for one in options if one.startswith(sign) and "i" in one}
        for child in with_comments(node):
            name = child.child_by_field_name("name") or child
            if marks and name.type == "variable_name":
                (self.numbers.discard if "+" in marks else self.numbers.add)(self.text(name))

    def as_number(self, given: Variable, add: Variable | None) -> Variable:
        """What a variable of ``declare -i`` becomes: bash reads its value as a sum."""
        text = given.value
        if text is None or given.elements is not None or (add and add.value is None):
            return UNKNOWN
        if text.isdecimal() and not text.startswith("0") and add is None:
            return given
        number = number_of(f"({add.value or 0})+({text})" if add else text, self.words.number)
        start, end = (given.atoms[0].start, given.atoms[-1].end) if given.atoms else (0, 0)
        return (
            UNKNOWN if number is None else Variable((Atom(str(number), start, end, exact=False),))
        )

    def finish(self) -> None:
        """Functions that nothing here calls are read once: a script may be sourced."""
        for name, body in list(self.functions.items()):
            if name not in self.called and self.source.own(body.start_byte)[1] == 0:
                self.run(body)

    def effects(self, name: str, arguments: Sequence[Word]) -> None:
        """What the variables are after a command."""
        if name in ("read", "getopts", "mapfile", "readarray"):
            for word in arguments:
                if word.value and word.value.isidentifier():
                    self.variables[word.value] = UNKNOWN
        if name in ("shift", "set"):
            for own in POSITIONAL & self.variables.keys():
                self.variables[own] = UNKNOWN
        if name in ("source", ".") and arguments:
            self._read_in(arguments[0])
        body = self.functions.get(name)
        if body is None or name in self.calls or len(self.calls) >= _MAX_CALLS:
            return
        self.called.add(name)
        self.calls.add(name)
        outer = {name: self.variables.pop(name, None) for name in POSITIONAL}
        self.variables.update(parameters(arguments, self.source))
        self.run(body)
        for own, value in outer.items():
            self.variables.pop(own, None)
            if value is not None:
                self.variables[own] = value
        self.variables["@"] = outer["@"] or UNKNOWN
        self.calls.discard(name)

    def _called(self, raw: str, value: str | None) -> str:
        return name_of(raw, value, self.variables, self.source)

    def _read_in(self, word: Word) -> None:
        """Runs what a file says, which stands behind the script's own text from here on."""
        other = self.sourced.text(self._called(word.raw, word.value))
        if other is None or other.file in self._within or len(self._within) >= MAX_WITHIN:
            return
        both, first = self.source.followed_by(other)
        blank = _OUTSIDE.sub(b" ", both.body[:first])
        root = tree_of("bash", blank + as_meant(other.body))
        if root.has_error:
            return
        self.source = self.words.source = both
        self._within.append(other.file)
        self.run(root)
        self._within.pop()

    def is_own(self, node: tree_sitter.Node) -> bool:
        return super().is_own(node) and not (self.calls or self._within)

    def decide(self, condition: tree_sitter.Node | None) -> bool | None:
        """As every condition; a file that can be read in is there."""
        found = _IS_FILE.match(self.text(condition).strip()) if condition is not None else None
        if found is not None:
            value = None if "$" in found[1] else found[1].strip("\"'")
            if self.sourced.is_there(self._called(found[1], value)):
                return True
        return super().decide(condition)
