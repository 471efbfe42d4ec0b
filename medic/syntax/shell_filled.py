"""What the shell fills in of a configuration that a script writes: ``"lr": $LR``.

The text is read with every byte in its place; then a scalar with a variable in it gets the value that
the variable has there. What is not known stays as it is written, with its ``$``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.facts import Document, Node
from medic.records import replace
from medic.run_config import Scalar, Syntax
from medic.syntax.scalars import pyyaml, yaml_1_2
from medic.syntax.shell_atoms import joined
from medic.syntax.shell_words import Expander
from medic.syntax.source import SourceText
from medic.syntax.treesitter import with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

# A value that is one plain scalar in all three formats, and one that quotes stand around.
_PLAIN = regex(r"[\w./+-]+")
_NUMBER = regex(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|true|false|null")
_NO_END = regex(r"[\"'\\\n]")
_LONGEST = 4096


def filled(
    document: Document, words: Expander, source: SourceText, body: tree_sitter.Node
) -> Document:
    """The document with the values that are known; ``body`` is the here-document's text."""
    places = [
        (child.start_byte, child.end_byte)
        for child in with_comments(body)
        if child.type.endswith(("expansion", "substitution"))
    ]
    if document.root is None or not places:
        return document
    one = _Filled(words, source, body, document.syntax, places)
    return replace(document, root=one.node(document.root))


class _Filled:
    def __init__(
        self,
        words: Expander,
        source: SourceText,
        body: tree_sitter.Node,
        syntax: Syntax,
        places: list[tuple[int, int]],
    ) -> None:
        self.words, self.source, self.body = words, source, body
        self.syntax, self.places = syntax, places

    def node(self, node: Node) -> Node:
        if node.kind == "mapping":
            return replace(node, items=tuple((key, self.node(value)) for key, value in node.items))
        if node.kind == "sequence":
            return replace(node, elements=tuple(self.node(one) for one in node.elements))
        start, end = self.source.offsets(node.span)
        if not any(start < last and first < end for first, last in self.places):
            return node
        return self._scalar(node, start, end)

    def _scalar(self, node: Node, start: int, end: int) -> Node:
        written = self.source.body[start:end]
        quoted = len(written) > 1 and written[:1] in (b'"', b"'") and written[-1:] == written[:1]
        text = self._text(start + quoted, end - quoted)
        if text is None or len(text) > _LONGEST:
            return node
        if quoted:
            if _NO_END.search(text):
                return node
            return replace(node, value=text, loader_value=text, raw=f'"{text}"')
        if self.syntax == "json" and not _NUMBER.fullmatch(text):
            inner = text[1:-1]
            if len(text) < 2 or text[:1] != '"' or text[-1:] != '"' or _NO_END.search(inner):
                return node
            return replace(node, value=inner, loader_value=inner, raw=text)
        if not _PLAIN.fullmatch(text):
            return node
        value: Scalar = yaml_1_2(text)
        read = pyyaml(text) if self.syntax == "yaml" else value
        return replace(node, value=value, loader_value=read, raw=text, quoted=False)

    def _text(self, start: int, end: int) -> str | None:
        """What stands between two bytes, filled in; None where a part of it is not known."""
        parts: list[str | None] = []
        at = start
        for child in with_comments(self.body):
            inside = (child.start_byte, child.end_byte) in self.places
            if not inside or child.end_byte <= start or child.start_byte >= end:
                continue
            if child.end_byte > end:
                return None
            parts.append(self._plain(at, max(at, child.start_byte)))
            parts.append(joined((a.text for a in self.words.atoms(child, quoted=True)), ""))
            at = child.end_byte
        return joined([*parts, self._plain(at, end)], "")

    def _plain(self, start: int, end: int) -> str | None:
        text = self.source.body[start:end].decode("utf-8", "replace")
        return None if "\\" in text else text
