"""How a shell expands words: variables, defaults, arithmetic, arrays, quotes, splitting at blanks.

Text is kept as atoms that know their bytes, so that a word which a variable brings still has the
place where it was written. What only the running shell knows (command output, unset variables,
patterns) is an atom without text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from medic.facts import Word
from medic.syntax.shell_arithmetic import evaluate
from medic.syntax.source import SourceText

if TYPE_CHECKING:
    import tree_sitter

# A variable that doubles itself again and again is not followed further than this.
MAX_PARTS = 5_000
_ESCAPE_IN_STRING = re.compile(rb'\\(?:\n|["\\$`])')
_BLANKS = re.compile(r"[ \t\r\n]+")
_DEFAULTS = (":-", "-", ":=", "=", ":+", "+", ":?", "?")


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of text and its bytes; ``split``: blanks in it end a word. None: not known."""

    text: str | None
    start: int
    end: int
    split: bool = False
    exact: bool = True  # the bytes are the text, nothing was escaped or computed


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar (its atoms), or an array (its elements)."""

    atoms: tuple[Atom, ...] = ()
    elements: tuple[Word, ...] | None = None

    @property
    def value(self) -> str | None:
        if self.elements is not None:
            return joined(word.value for word in self.elements)
        return joined((atom.text for atom in self.atoms), "")


UNKNOWN = Variable((Atom(None, 0, 0),))


def joined(texts: Iterable[str | None], between: str = " ") -> str | None:
    known = list(texts)
    return None if None in known else between.join(t for t in known if t is not None)


class Expander:
    """Expands the words of one script against its variables, which the caller changes."""

    def __init__(self, source: SourceText, variables: dict[str, Variable]) -> None:
        self.source = source
        self.variables = variables

    # --- words ------------------------------------------------------------------------------

    def fields(self, node: tree_sitter.Node, *, resplit: bool = False) -> list[Word]:
        """The words that one word of the script becomes; ``resplit`` as ``eval`` reads them."""
        inner = node
        while inner.type in ("command_name", "string") and inner.named_child_count == 1:
            child = inner.named_children[0]
            if inner.type == "string" and inner.end_byte - inner.start_byte != (
                child.end_byte - child.start_byte + 2
            ):
                break
            inner = child
        elements = self._array_of(inner)
        if elements is not None:
            return list(elements)
        atoms = self.atoms(node, quoted=False)
        if resplit:
            atoms = [replace(atom, split=True) for atom in atoms]
        return self._words(node, atoms)

    def _words(self, node: tree_sitter.Node, atoms: Sequence[Atom]) -> list[Word]:
        groups = _split(atoms)
        if len(groups) == 1:
            span = self.source.span(node.start_byte, node.end_byte)
            literal = _literal(groups[0], node.start_byte, node.end_byte)
            place = self.source.span(literal.start, literal.end) if literal else None
            value = joined((a.text for a in groups[0]), "")
            return [Word(span, self.source.raw(span), value, place)]
        return [self._brought(node, group) for group in groups]

    def _brought(self, node: tree_sitter.Node, group: Sequence[Atom]) -> Word:
        """A word from the middle of a variable, or one of several in one argument."""
        start, end = group[0].start, group[-1].end
        if end < start:  # its parts come from several assignments
            end = group[0].end
        if (start, end) == (0, 0):
            start, end = node.start_byte, node.end_byte
        span = self.source.span(start, end)
        literal = _literal(group, start, group[0].end)
        place = self.source.span(literal.start, literal.end) if literal else None
        return Word(span, self.source.raw(span), joined((a.text for a in group), ""), place)

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
        if kind == "arithmetic_expansion":
            number = evaluate(node, self._number)
            text = None if number is None else str(number)
            return [Atom(text, node.start_byte, node.end_byte, exact=False)]
        if kind in ("concatenation", "command_name"):
            found: list[Atom] = []
            for child in node.children:
                found += self.atoms(child, quoted=quoted)
            return found[:MAX_PARTS]
        if node.named_child_count or node.is_error:
            return [Atom(None, node.start_byte, node.end_byte, split=not quoted)]
        return [self._plain(node)]

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
        for child in node.named_children:
            if child.type == "string_content" or child.start_byte < at:
                continue
            found += self._text(at, child.start_byte)
            found += self.atoms(child, quoted=True)
            at = child.end_byte
        return (found + self._text(at, end))[:MAX_PARTS]

    def _text(self, start: int, end: int) -> list[Atom]:
        found: list[Atom] = []
        body = self.source.body
        at = start
        for escape in _ESCAPE_IN_STRING.finditer(body, start, end):
            if escape.start() > at:
                found.append(Atom(body[at : escape.start()].decode("utf-8", "replace"), at,
                                  escape.start()))  # fmt: skip
            character = escape.group()[1:].decode()
            if character != "\n":
                found.append(Atom(character, escape.start(), escape.end(), exact=False))
            at = escape.end()
        if end > at:
            found.append(Atom(body[at:end].decode("utf-8", "replace"), at, end))
        return found

    # --- variables --------------------------------------------------------------------------

    def _number(self, name: str) -> int | None:
        found = self.variables.get(name)
        value = found.value if found else None
        return int(value) if value and re.fullmatch(r"[-+]?\d{1,18}", value) else None

    def _expansion(self, node: tree_sitter.Node, *, quoted: bool) -> list[Atom]:
        name, operator, rest = self._parts(node)
        unknown = [Atom(None, node.start_byte, node.end_byte, split=not quoted)]
        found = self.variables.get(name) if name else None
        if not name or operator not in ("", *_DEFAULTS):
            elements = self._array_of(node)
            return unknown if elements is None else _of_words(self.source, elements)
        known = None if found is None else self._scalar(found)
        if not operator or operator.endswith("?"):
            return unknown if known is None else _with_split(known, not quoted)
        is_set = known is not None and (bool(known) or not operator.startswith(":"))
        if known and any(atom.text is None for atom in known):
            return unknown
        if operator.endswith("+"):
            return rest if is_set else []
        if is_set and known is not None:
            return _with_split(known, not quoted)
        if operator.endswith("="):
            self.variables[name] = Variable(tuple(rest))
        return _with_split(rest, not quoted)

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
            rest += self._text(at, child.start_byte) + self.atoms(child, quoted=True)
            at = child.end_byte
        return self._word_text(names[0]), operator, rest + self._text(at, end)

    def _array_of(self, node: tree_sitter.Node) -> tuple[Word, ...] | None:
        """The elements, if the node is ``${X[@]}`` or ``${X[*]}`` of a known array."""
        if node.type != "expansion" or node.named_child_count != 1:
            return None
        child = node.named_children[0]
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
        return _of_words(self.source, variable.elements[:1])

    def _word_text(self, node: tree_sitter.Node) -> str:
        return self.source.body[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _with_split(atoms: Iterable[Atom], split: bool) -> list[Atom]:
    return [replace(atom, split=split) for atom in atoms]


def _of_words(source: SourceText, words: Sequence[Word]) -> list[Atom]:
    """The words of an array as one text, each with its own bytes."""
    found: list[Atom] = []
    for word in words:
        if found:
            found.append(Atom(" ", found[-1].end, found[-1].end, exact=False))
        start, end = word.span.start - source.skipped, word.span.end - source.skipped
        found.append(Atom(word.value, start, end, exact=word.raw == word.value))
    return found


def _split(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Atoms grouped to words: blanks end a word only in what may be split."""
    groups: list[list[Atom]] = []
    current: list[Atom] | None = None
    for atom in atoms:
        if not atom.split or atom.text is None:
            current = [*(current or []), atom]
            continue
        at = 0
        for blank in [*_BLANKS.finditer(atom.text), None]:
            end = blank.start() if blank else len(atom.text)
            if end > at:
                current = [*(current or []), _slice(atom, at, end)]
            if blank:
                groups += [current] if current else []
                current, at = None, blank.end()
    return [*groups, current] if current else groups


def _slice(atom: Atom, start: int, end: int) -> Atom:
    text = atom.text or ""
    if not atom.exact:
        return replace(atom, text=text[start:end])
    first = atom.start + len(text[:start].encode())
    return replace(atom, text=text[start:end], start=first,
                   end=first + len(text[start:end].encode()))  # fmt: skip


def _literal(group: Sequence[Atom], start: int, end: int) -> Atom | None:
    """The one literal, outside ``start``..``end``, that gives the word or its part after "="."""
    last = group[-1]
    if last.text is None or not last.exact or start <= last.start < end:
        return None
    before = joined((a.text for a in group[:-1]), "")
    if len(group) == 1 or (before is not None and before.endswith("=")):
        return last
    return None
