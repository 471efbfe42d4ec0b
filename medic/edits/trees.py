"""Finding nodes of a parsed file by path and by span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Command, Document, Node, Word
from medic.records import dataclass
from medic.run_config import Scalar, Span
from medic.text.patterns import regex

Path = tuple[str, ...]
FLAG = regex(r"--?[A-Za-z]")


def name_of(key: Node) -> str:
    return str(key.value if key.value is not None else key.raw)


def item_at(root: Node | None, path: Sequence[str]) -> tuple[Node, Node] | None:
    """(key, value) at a key path. Dots inside a step are steps as well."""
    node, found = root, None
    for step in path:
        if node is None:
            return None
        found = next(((k, v) for k, v in node.items if name_of(k) == step), None)
        node = found[1] if found else None
    return found


def node_at(root: Node | None, path: Sequence[str]) -> Node | None:
    if not path:
        return root
    found = item_at(root, path)
    return found[1] if found else None


@dataclass(frozen=True)
class Item:
    """A key of a mapping with its value; ``above`` is the key that holds the mapping."""

    path: Path
    key: Node
    value: Node
    parent: Node
    above: Node | None


def items_of(node: Node | None, path: Path = (), above: Node | None = None) -> Iterator[Item]:
    """Every key of a tree, with the paths of ``flatten``."""
    if node is None:
        return
    for key, value in node.items:
        below = (*path, name_of(key))
        yield Item(below, key, value, node, above)
        yield from items_of(value, below, key)
    for i, element in enumerate(node.elements):
        yield from items_of(element, (*path, str(i)))


def item_of(root: Node | None, span: Span) -> Item | None:
    """The key that a span is the place of, or of its value."""
    return next((i for i in items_of(root) if span in (i.key.span, i.value.span)), None)


def flatten(node: Node | None, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:
    """(path, value) of every scalar; elements of lists by their index."""
    if node is None:
        return
    if node.kind == "mapping":
        for key, value in node.items:
            yield from flatten(value, (*path, name_of(key)))
    elif node.kind == "sequence":
        for i, element in enumerate(node.elements):
            yield from flatten(element, (*path, str(i)))
    else:
        yield path, node.value


def spans_of(node: Node | None) -> Iterator[Span]:
    """Spans of all scalars."""
    if node is None:
        return
    for _, value in node.items:
        yield from spans_of(value)
    for element in node.elements:
        yield from spans_of(element)
    if node.kind == "scalar":
        yield node.span


def has_span(document: Document, span: Span) -> bool:
    """Whether a value still stands at these bytes."""
    if document.syntax == "shell":
        words = (w for c in document.every_command for w in c.words)
        return any(within(span, w) for w in words)
    return any((s.start, s.end) == (span.start, span.end) for s in spans_of(document.root))


def within(span: Span, word: Word) -> bool:
    places = [word.span] if word.literal is None else [word.span, word.literal]
    return any(p.file == span.file and p.start <= span.start and span.end <= p.end for p in places)


def command_of(document: Document, span: Span, flag: str = "") -> tuple[Command, int] | None:
    """The command and the index of its word that a span lies in. What stands in a variable may be
    the value of several flags: that of ``flag`` before others."""
    found: tuple[Command, int] | None = None
    for command in document.every_command:
        for i, word in enumerate(command.words):
            if within(span, word):
                named = flag_of(command, i) if flag else None
                if not flag or (named is not None and named[1] == flag):
                    return command, i
                found = found or (command, i)
    return found


def flag_of(command: Command, index: int) -> tuple[Word, str] | None:
    """The flag word that a value word belongs to, and the flag's name."""
    for i in (index, index - 1):
        word = command.words[i] if i >= 0 else None
        text = (word.value if word.value is not None else word.raw) if word else ""
        if word is not None and (FLAG.match(text) or (i == index and "=" in text)):
            return word, text.partition("=")[0]
    return None


def flags_of_literal(document: Document, span: Span) -> set[str]:
    """The flags whose value is the text of one variable: an edit of it is one of them all."""
    found: set[str] = set()
    for command in document.every_command:
        for i, word in enumerate(command.words):
            if word.literal is not None and word.literal.start <= span.start < word.literal.end:
                flag = flag_of(command, i)
                found.add(flag[1] if flag else word.raw)
    return found
