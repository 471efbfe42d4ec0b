"""TOML -> nodes: places from the syntax tree, values from the standard library's reader."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from medic.errors import Unreadable
from medic.facts import Document, Node, Problem
from medic.i18n import Text
from medic.records import dataclass, field
from medic.run_config import Span
from medic.syntax.bare_words import bare
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.syntax.trees import Pair, mapping
from medic.syntax.treesitter import first_error, named, tree_of
from medic.text.parserwords import in_chinese
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LINE = regex(r"\(at line (\d+)")
_VALUE = regex(r"\s*[\w.\"'-]+\s*=\s*")
_KEYS = ("bare_key", "quoted_key", "dotted_key")


@dataclass
class _Table:
    """A table that later headers may add to; ``span`` is its header or its braces."""

    span: Span
    header: Node | None = None
    pairs: list[tuple[Node, Node | _Table | _Tables]] = field(default_factory=list)
    known: dict[str, _Table | _Tables] = field(default_factory=dict)

    def add(self, key: Node, value: Node | _Table | _Tables) -> None:
        self.pairs.append((key, value))
        if not isinstance(value, Node):
            self.known[str(key.value)] = value


@dataclass
class _Tables:
    """An array of tables."""

    tables: list[_Table]


def parse_toml(source: SourceText) -> Document:
    """A TOML file. Raises Unreadable."""
    root = tree_of("toml", source.body)
    if root.has_error:
        raise _unreadable(source, root)
    reader = _Reader(source)
    reader.read(root)
    node = reader.freeze(reader.root, ())
    return Document(source.file, "toml", node, problems=tuple(reader.problems))


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.root = _Table(source.span(0, len(source.body)))

    def read(self, root: tree_sitter.Node) -> None:
        for part in named(root):
            if part.type == "pair":
                self._pair(part, self.root, 0)
            elif part.type in ("table", "table_array_element"):
                self._table(part)

    def _table(self, here: tree_sitter.Node) -> None:
        keys = self._keys(here)
        if not keys:
            return
        holder = self._walk(self.root, keys[:-1])
        table = self._declare(holder, keys[-1], here)
        for part in named(here):
            if part.type == "pair":
                self._pair(part, table, 0)

    def _declare(self, holder: _Table, key: Node, here: tree_sitter.Node) -> _Table:
        """The table that a header opens; a header given twice is a duplicate key."""
        table = _Table(self.source.span(here.start_byte, here.end_byte), key)
        known = holder.known.get(str(key.value))
        if here.type == "table_array_element":
            if isinstance(known, _Tables):
                known.tables.append(table)
            else:
                holder.add(key, _Tables([table]))
        elif isinstance(known, _Table):
            if known.header is not None:
                name = str(key.value)
                self.problems.append(Problem("duplicate-key", key.span, name, known.header.span))
            known.header, table = key, known
        else:
            holder.add(key, table)
        return table

    def _walk(self, table: _Table, keys: list[Node]) -> _Table:
        """The table at a key path, made where it is not there yet."""
        if len(keys) > MAX_DEPTH:
            raise self.source.too_deep(keys[0].span.line)
        for key in keys:
            known = table.known.get(str(key.value))
            if isinstance(known, _Tables):
                known = known.tables[-1]
            if known is None:
                known = _Table(key.span)
                table.add(key, known)
            table = known
        return table

    def _keys(self, here: tree_sitter.Node) -> list[Node]:
        found: list[Node] = []
        for part in named(here):
            if part.type == "dotted_key":
                found += self._keys(part)
            elif part.type in _KEYS:
                found.append(self._scalar(part))
        return found

    def _pair(self, here: tree_sitter.Node, table: _Table, depth: int) -> None:
        keys = self._keys(here)
        values = [part for part in named(here) if part.type not in _KEYS]
        if keys and values:
            holder = self._walk(table, keys[:-1])
            holder.add(keys[-1], self._value(values[0], depth + 1))

    def _value(self, here: tree_sitter.Node, depth: int) -> Node:
        span = self.source.span(here.start_byte, here.end_byte)
        if depth > MAX_DEPTH:
            raise self.source.too_deep(span.line)
        parts = named(here)
        if here.type == "array":
            elements = tuple(self._value(part, depth + 1) for part in parts)
            return Node("sequence", span, elements=elements)
        if here.type == "inline_table":
            table = _Table(span)
            for part in parts:
                self._pair(part, table, depth)
            return self.freeze(table, ())
        return self._scalar(here)

    def _scalar(self, here: tree_sitter.Node) -> Node:
        raw = self.source.body[here.start_byte : here.end_byte].decode()
        value: Any = raw
        if here.type != "bare_key":
            try:
                value = tomllib.loads(f"v = {raw}\n")["v"]
            except ValueError as problem:
                line = here.start_point[0] + 1
                words = _LINE.sub("", str(problem)).strip()
                raise Unreadable(
                    f"not TOML: {words}",
                    f"不是合法的 TOML：{in_chinese(words)}",
                    at=self.source.at(line),
                ) from None
        if not isinstance(value, (int, float, bool, str)):
            value = raw  # dates and times stay text
        span = self.source.span(here.start_byte, here.end_byte)
        self.source.count(span)
        quoted = here.type in ("string", "quoted_key")
        return Node("scalar", span, value, raw, quoted, value)

    def freeze(self, table: _Table, path: tuple[str, ...]) -> Node:
        pairs: list[Pair] = []
        for key, value in table.pairs:
            inner = (*path, str(key.value))
            if isinstance(value, _Table):
                pairs.append((key, self.freeze(value, inner)))
            elif isinstance(value, _Tables):
                tables = tuple(self.freeze(t, inner) for t in value.tables)
                pairs.append((key, Node("sequence", tables[0].span, elements=tables)))
            else:
                pairs.append((key, value))
        return mapping(table.span, pairs, self.problems, path)


def _unreadable(source: SourceText, root: tree_sitter.Node) -> Unreadable:
    error = first_error(root)
    line = (error.start_point[0] if error else 0) + 1
    said = "syntax error"
    try:
        tomllib.loads(source.text)
    except ValueError as problem:
        found = _LINE.search(str(problem))
        line = int(found.group(1)) if found else line
        said = str(problem).split(" (at ")[0]
    except RecursionError:
        return source.too_deep(line)
    text = source.text.split("\n")[line - 1 : line]
    value = _VALUE.match(text[0]) if text else None
    word = bare(text[0], value.end(), null=False) if value and "nvalid value" in said else None
    words = word or Text(said, in_chinese(said))
    return Unreadable(f"not TOML: {words.en}", f"不是合法的 TOML：{words.zh}", at=source.at(line))
