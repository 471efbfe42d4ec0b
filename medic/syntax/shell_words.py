"""How a shell expands words: variables, defaults, arithmetic, arrays, quotes, splitting at blanks.

Text is kept as atoms that know their bytes, so that a word which a variable brings still has the
place where it was written. What only the running shell knows (command output, unset variables,
patterns) is an atom without text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from medic.facts import Word
from medic.records import replace
from medic.syntax.shell_arithmetic import as_sum, evaluate, is_sum
from medic.syntax.shell_atoms import (
    BLANKS,
    MAX_PARTS,
    Atom,
    Variable,
    as_lines,
    atoms_of,
    becomes_several,
    computed,
    joined,
    literal_of,
    slice_atom,
    split_atoms,
    unescaped,
    with_split,
)
from medic.syntax.shell_environment import given
from medic.syntax.source import SourceText
from medic.syntax.treesitter import with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

_VARIABLE = regex(r"\$\{?([A-Za-z_]\w*)\}?")
_CAT = regex(r"^\$\((?:cat[ \t]+|<[ \t]*)([\w.][\w./+-]*)\)$")
_CONTENTS = ("string_content", "heredoc_content")
_DEFAULTS = (":-", "-", ":=", "=", ":+", "+", ":?", "?")


class Expander:
    """Expands the words of one script against its variables, which the caller changes."""

    def __init__(self, source: SourceText, variables: dict[str, Variable]) -> None:
        self.source = source
        self.variables = variables
        self.file_text: Callable[[str], str | None] = lambda _: None  # what a file beside it says

    # --- words ------------------------------------------------------------------------------

    def fields(self, node: tree_sitter.Node, *, resplit: bool = False) -> list[Word]:
        """The words that one word of the script becomes; ``resplit`` as ``eval`` reads them."""
        inner = node
        while inner.type in ("command_name", "string") and inner.named_child_count == 1:
            child = with_comments(inner)[0]
            if inner.type == "string" and inner.end_byte - inner.start_byte != (
                child.end_byte - child.start_byte + 2
            ):
                break
            inner = child
        elements = self._array_of(inner)
        if elements is not None:
            plain = inner is node and not resplit
            return [w for e in elements for w in (self._resplit(e) if plain else [e])]
        atoms = self.atoms(node, quoted=False)
        if resplit:
            lines = (line for atom in atoms for line in as_lines(atom))
            atoms = [replace(part, split=True) for line in lines for part in self._again(line)]
        return self._words(node, atoms)

    def held(self, variable: Variable) -> tuple[Word, ...]:
        """The words that a variable's text becomes where it stands without quotes."""
        if variable.elements is not None:
            return variable.elements
        groups = split_atoms(with_split(variable.atoms, split=True))
        return tuple(self._brought(None, group) for group in groups)

    def _resplit(self, word: Word) -> list[Word]:
        """An element of an array that is expanded without quotes: blanks in it end a word."""
        if word.value is None or not BLANKS.search(word.value):
            return [word]
        atom = replace(atoms_of(self.source, [word])[0], split=True)
        return [self._brought(None, group) for group in split_atoms([atom])]

    def _again(self, atom: Atom) -> list[Atom]:
        """The variables in a text that a second shell reads: ``bash -c '$LAUNCHER $CMD'``."""
        found: list[Atom] = []
        at = 0
        text = atom.text or ""
        for match in _VARIABLE.finditer(text) if "$" in text else ():
            known = self.variables.get(match.group(1))
            found.append(slice_atom(atom, at, match.start()))
            here = slice_atom(atom, match.start(), match.end())
            found += [replace(here, text=None)] if known is None else self._scalar(known)
            at = match.end()
        return [*found, slice_atom(atom, at, len(text))] if found else [atom]

    def _words(self, node: tree_sitter.Node, atoms: Sequence[Atom]) -> list[Word]:
        groups = split_atoms(atoms)
        if len(groups) == 1:
            span = self.source.span(node.start_byte, node.end_byte)
            literal = literal_of(groups[0], node.start_byte, node.end_byte)
            place = self.source.span(literal.start, literal.end) if literal else None
            value, raw = joined((a.text for a in groups[0]), ""), self.source.raw(span)
            return [Word(span, raw, None if becomes_several(raw) else value, place)]
        return [self._brought(node, group) for group in groups]

    def _brought(self, node: tree_sitter.Node | None, group: Sequence[Atom]) -> Word:
        """A word from the middle of a variable, or one of several in one argument."""
        group_here = self._here(group)
        start, end = group_here[0].start, group_here[-1].end
        if end < start or self.source.own(start) != self.source.own(end):
            # its parts come from several assignments
            end = group_here[0].end
        if (start, end) == (0, 0) and node is not None:
            start, end = node.start_byte, node.end_byte
        span = self.source.span(start, end)
        literal = literal_of(group, start, group_here[0].end)
        place = self.source.span(literal.start, literal.end) if literal else None
        return Word(span, self.source.raw(span), joined((a.text for a in group), ""), place)

    def _here(self, group: Sequence[Atom]) -> Sequence[Atom]:
        """Without the parts at its beginning that stand in lines above: ``$ROOT/a.yaml``."""
        files = [self.source.own(atom.start)[1] for atom in group]
        here = [atom for atom, first in zip(group, files, strict=True) if first == min(files)]
        last = max(here, key=lambda atom: atom.start)
        line = self.source.body.rfind(b"\n", 0, last.start)
        return [atom for atom in here if atom.start > line] or here

    # --- atoms ------------------------------------------------------------------------------

    def atoms(self, node: tree_sitter.Node, *, quoted: bool) -> list[Atom]:
        kind = node.type
        if kind == "string":
            inner = self._between(node, node.start_byte + 1, node.end_byte - 1)
            return inner or [Atom("", node.start_byte, node.start_byte)]
        if kind in ("raw_string", "ansi_c_string"):
            return [self._raw_string(node)]
        if kind in ("simple_expansion", "expansion"):
            return self._expansion(node, quoted=quoted)
        if kind == "arithmetic_expansion" or is_sum(node):
            number = evaluate(as_sum(node), self.number)
            text = None if number is None else str(number)
            return [Atom(text, node.start_byte, node.end_byte, exact=False)]
        if kind in ("concatenation", "command_name", "variable_assignment"):
            found: list[Atom] = []
            for child in node.children:
                found += self.atoms(child, quoted=quoted)
                if len(found) >= MAX_PARTS:
                    break
            return found[:MAX_PARTS]
        if (said := self._of_file(node)) is not None:
            return [Atom(said, node.start_byte, node.end_byte, split=not quoted, exact=False)]
        if node.named_child_count or node.is_error:
            return [Atom(None, node.start_byte, node.end_byte, split=not quoted)]
        return [self._plain(node)]

    def _of_file(self, node: tree_sitter.Node) -> str | None:
        """What ``$(cat FILE)`` and ``$(<FILE)`` give, where the file is there."""
        found = _CAT.match(self._word_text(node)) if node.type == "command_substitution" else None
        text = self.file_text(found[1]) if found is not None else None
        return None if text is None else text.rstrip("\n")

    def _plain(self, node: tree_sitter.Node) -> Atom:
        octets = self.source.body[node.start_byte : node.end_byte]
        text = re.sub(rb"\\(?:\n|(.))", rb"\1", octets).decode("utf-8", "replace")
        return Atom(text, node.start_byte, node.end_byte, exact=b"\\" not in octets)

    def _raw_string(self, node: tree_sitter.Node) -> Atom:
        start = node.start_byte + (2 if node.type == "ansi_c_string" else 1)
        end = node.end_byte - 1
        octets = self.source.body[start:end]
        if node.type == "ansi_c_string" and b"\\" in octets:
            return Atom(None, start, end)
        return Atom(octets.decode("utf-8", "replace"), start, end)

    def _between(self, node: tree_sitter.Node, start: int, end: int) -> list[Atom]:
        """Text and expansions inside quotes; what the tree leaves out between them is text."""
        found: list[Atom] = []
        at = start
        for child in with_comments(node):
            if child.type in _CONTENTS or child.start_byte < at:
                continue
            found += unescaped(self.source.body, at, self._start(child))
            found += self.atoms(child, quoted=True)
            at = child.end_byte
        return (found + unescaped(self.source.body, at, end))[:MAX_PARTS]

    def document(self, node: tree_sitter.Node) -> list[Atom] | None:
        """The text of a here-document without the blanks around it; None where it stays in its
        backslashes, as between quotes nothing is filled in, and where the grammar ends it at a line
        that only begins with its end."""
        found = {child.type: child for child in node.children}
        head, text, end_of = (found.get(f"heredoc_{part}") for part in ("start", "body", "end"))
        if head is None or text is None:
            return None
        behind = b"\n" if end_of is None else self.source.body[end_of.end_byte :][:1]
        if behind not in (b"", b"\n", b"\r", b" ", b")"):
            return None
        octets = self.source.body[text.start_byte : text.end_byte]
        start = text.start_byte + len(octets) - len(octets.lstrip())
        end = text.start_byte + len(octets.rstrip())
        if self.source.body[head.start_byte : head.start_byte + 1] in (b"'", b'"', b"\\"):
            plain = octets.strip().decode("utf-8", "replace")
            return None if "\\" in plain else [Atom(plain, start, end)]
        return self._between(text, start, max(start, end))

    def _start(self, node: tree_sitter.Node) -> int:
        """Where an expansion begins: its node may take in the blanks before it."""
        octets = self.source.body[node.start_byte : node.end_byte]
        return node.start_byte + len(octets) - len(octets.lstrip())

    # --- variables --------------------------------------------------------------------------

    def number(self, name: str) -> int | None:
        found = self.variables.get(name)
        value = found.value if found else None
        return int(value) if value and re.fullmatch(r"[-+]?\d{1,18}", value) else None

    def _expansion(self, node: tree_sitter.Node, *, quoted: bool) -> list[Atom]:
        name, operator, rest = self._parts(node)
        unknown = [Atom(None, self._start(node), node.end_byte, split=not quoted)]
        found = self.variables.get(name) if name else None
        if (count := computed(self._word_text(node).strip(), self.variables)) is not None:
            return [Atom(count, self._start(node), node.end_byte, exact=False)]
        if not name or operator not in ("", *_DEFAULTS):
            elements = self._array_of(node)
            return unknown if elements is None else atoms_of(self.source, elements)
        known = None if found is None else self._scalar(found)
        if not operator or operator.endswith("?"):
            return unknown if known is None else with_split(known, not quoted)
        is_set = known is not None and (bool(known) or not operator.startswith(":"))
        if known and any(atom.text is None for atom in known):
            return unknown
        if operator.endswith("+"):
            return rest if is_set else []
        if is_set and known is not None:
            return with_split(known, not quoted)
        if known is None and (outer := given(name)) is not None:
            rest = [Atom(outer, self._start(node), node.end_byte, exact=False)]
        if operator.endswith("="):
            self.variables[name] = Variable(tuple(rest))
        return with_split(rest, not quoted)

    def _parts(self, node: tree_sitter.Node) -> tuple[str, str, list[Atom]]:
        """Name, operator and default of ``$X``, ``${X}``, ``${X:-1}``; name "" for other forms."""
        children = node.children
        names = [c for c in children if c.type in ("variable_name", "special_variable_name")]
        if not names or children[0].type not in ("$", "${"):
            return "", "", []
        if children[0].type == "$":
            return self._word_text(names[0]), "", []
        if children[1].id != names[0].id:
            return "", "", []  # ${#X}, ${!X}
        after = children[2:-1]
        if not after:
            return self._word_text(names[0]), "", []
        operator = self._word_text(after[0])
        start, end = after[0].end_byte, children[-1].start_byte
        at, rest = start, list[Atom]()
        for child in after[1:]:
            rest += unescaped(self.source.body, at, child.start_byte) + self.atoms(
                child, quoted=True
            )
            at = child.end_byte
        return self._word_text(names[0]), operator, rest + unescaped(self.source.body, at, end)

    def _array_of(self, node: tree_sitter.Node) -> tuple[Word, ...] | None:
        """The elements, if the node is ``${X[@]}`` or ``${X[*]}`` of a known array, or ``$@``."""
        if node.type == "simple_expansion" and self._word_text(node) == "$@":
            given = self.variables.get("@")
            return given.elements if given else None
        if node.type != "expansion" or node.named_child_count != 1:
            return None
        child = with_comments(node)[0]
        if child.type != "subscript" or node.children[1].id != child.id:
            return None
        name, index = child.child_by_field_name("name"), child.child_by_field_name("index")
        if name is None or index is None or self._word_text(index) not in ("@", "*"):
            return None
        found = self.variables.get(self._word_text(name))
        return found.elements if found else None

    def _scalar(self, variable: Variable) -> list[Atom]:
        if variable.elements is None:
            return list(variable.atoms)
        return atoms_of(self.source, variable.elements[:1])

    def _word_text(self, node: tree_sitter.Node) -> str:
        return self.source.body[node.start_byte : node.end_byte].decode("utf-8", "replace")
