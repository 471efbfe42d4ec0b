"""Edits that add a key: after a relative in its group, indented and separated as that one is."""

from __future__ import annotations

import re

from medic.edits.keys import KeyTable
from medic.edits.places import Place
from medic.edits.scalars import render
from medic.edits.shell import insert_flag
from medic.edits.sources import Sources
from medic.edits.trees import item_at, name_of, node_at
from medic.errors import EditRefused
from medic.facts import Node
from medic.run_config import Scalar, Span, Syntax

_BLOCK = ("|", ">")
_BOM = b"\xef\xbb\xbf"


def insert(place: Place, written: Scalar, table: KeyTable, sources: Sources) -> None:
    """Adds ``written`` at the place's path. Raises EditRefused where its group is not there.

    A key that is there without saying anything (null, off) gets the value.
    """
    document = sources.open(place.file, place.syntax)
    if place.syntax == "shell":
        insert_flag(place, written, document, sources)
        return
    there = node_at(document.root, place.path)
    if there is not None and there.kind == "scalar":
        if table.is_auto(place.beside.framework, there.value):
            raise EditRefused(
                f"{place.path[-1]} is left to the training's own settings here",
                f"{place.path[-1]} 在此处由训练端的设置决定",
            )
        put_value(there, place.path, written, place.syntax, sources)
        return
    depth = len(place.path) - 1
    parent = node_at(document.root, place.path[:depth])
    while (parent is None or parent.kind != "mapping") and depth:
        depth -= 1
        parent = node_at(document.root, place.path[:depth])
    if parent is None or parent.kind != "mapping":
        raise EditRefused("its group is not in the file", "文件中没有该键所属的分组")
    if len(place.path) - depth > 2 or item_at(document.root, place.path[: depth + 1]):
        raise EditRefused("its group is not in the file", "文件中没有该键所属的分组")
    _Inserter(place, parent, depth, sources).add(written)
    sources.expect(place.file, place.path, written)


def put_value(
    node: Node, path: tuple[str, ...], written: Scalar, syntax: Syntax, sources: Sources
) -> None:
    """Gives the value at a key, in the old one's style where it is of the same kind."""
    span = node.span
    alike = isinstance(node.value, str) == isinstance(written, str) or not node.quoted
    text = render(written, node.raw if alike else "", syntax)
    if span.end == span.start:
        text = f" {text}"
    sources.add(span.file, span.start, span.end, text)
    sources.expect(span.file, path, written)


class _Inserter:
    """Adds one key, or a group of one key, to a mapping."""

    def __init__(self, place: Place, parent: Node, depth: int, sources: Sources) -> None:
        self.place = place
        self.parent = parent
        self.depth = depth
        self.sources = sources
        self.data = sources.data(place.file)
        self.syntax: Syntax = place.syntax
        self.quote = '"' if place.syntax == "json" else ""

    def add(self, written: Scalar) -> None:
        anchor = self._anchor()
        if self.syntax == "toml" and len(self.place.path) - self.depth > 1:
            self._table(written)
            return
        if anchor is None:
            self._into_empty(written)
            return
        key, value = anchor
        if self.syntax == "yaml" and key.quoted:  # as its neighbours
            self.quote = self._byte(key.span.start).decode()
        sign = self._between(key.span, value.span)
        flow = self._byte(self.parent.span.start) == b"{"
        if self.syntax == "json" or flow:
            own_line = not self.data[self._line(key.span.start) : key.span.start].strip()
            gap = self._eol() + self._indent(key) if own_line else " "
            self._put(value.span.end, f",{gap}{self._item(written, sign)}")
            return
        before = self._prefix(key)
        self._line_after(value.span.end, before + self._item(written, sign, before))

    # --- where ------------------------------------------------------------------------------

    def _anchor(self) -> tuple[Node, Node] | None:
        """The last relative in the group, else its last plain value."""
        inside = self.parent.span
        items = [
            (k, v)
            for k, v in self.parent.items
            if (v.kind == "scalar" or self.syntax == "json")
            and v.span.end > v.span.start
            and not v.raw.startswith(_BLOCK)
            and (self.syntax == "toml" or inside.start <= k.span.start < inside.end)
        ]
        items.sort(key=lambda item: item[0].span.start)
        above = self.place.path[: self.depth]
        near = [i for i in items if (*above, name_of(i[0])) in self.place.relatives]
        return (near or items or [None])[-1]  # type: ignore[list-item]

    def _into_empty(self, written: Scalar) -> None:
        """A mapping without plain values: before its first key, or behind its header."""
        start = self.parent.span.start
        if self._byte(start) == b"{":
            more = ", " if self.parent.items else ""
            self._put(start + 1, self._item(written) + more)
        elif self.syntax == "toml":
            if self.depth and self._byte(start) == b"[":
                self._line_after(start, self._item(written))
            else:
                first = len(_BOM) if self.data.startswith(_BOM) else 0
                self._put(first, self._item(written) + self._eol())
        elif self.parent.items:
            key = self.parent.items[0][0]
            before = self._prefix(key)
            line = self._line(key.span.start)
            if self.data[line : key.span.start].strip():
                raise EditRefused("its group has no line of its own", "该分组没有独立的行")
            self._put(line, before + self._item(written, ": ", before) + self._eol())
        else:
            raise EditRefused("its group is empty", "该分组为空")

    def _table(self, written: Scalar) -> None:
        """A table of its own, at the end of the file."""
        eol, end = self._eol(), len(self.data)
        before = "" if self.data.endswith(b"\n") or not self.data else eol
        header = ".".join(self.place.path[:-1])
        item = f"{self.place.path[-1]} = {render(written, '', 'toml')}"
        self._put(end, f"{before}{eol}[{header}]{eol}{item}{eol}")

    # --- what -------------------------------------------------------------------------------

    def _item(self, written: Scalar, sign: str = "", before: str = "") -> str:
        sign = sign or {"toml": " = "}.get(self.syntax, ": ")
        names = [self._name(n) for n in self.place.path[self.depth :]]
        value = render(written, "", self.syntax)
        if len(names) == 1:
            return f"{names[0]}{sign}{value}"
        if self.syntax == "json":
            return f"{names[0]}{sign}{{{names[1]}{sign}{value}}}"
        if self._byte(self.parent.span.start) == b"{":
            return f"{names[0]}{sign}{{{names[1]}{sign}{value}}}"
        return f"{names[0]}:{self._eol()}{before}  {names[1]}{sign}{value}"

    def _name(self, name: str) -> str:
        return f"{self.quote}{name}{self.quote}"

    def _between(self, key: Span, value: Span) -> str:
        """The sign between a key and its value, as written: ``: `` or `` = ``."""
        text = self.data[key.end : value.start].decode("utf-8", "replace")
        return text if re.fullmatch(r"\s?[:=] ?", text) else ""

    # --- bytes ------------------------------------------------------------------------------

    def _put(self, at: int, text: str) -> None:
        self.sources.add(self.place.file, at, at, text)

    def _line_after(self, at: int, text: str) -> None:
        end = self.data.find(b"\n", at)
        if end < 0:
            self._put(len(self.data), self._eol() + text)
        else:
            self._put(end + 1, text + self._eol())

    def _line(self, at: int) -> int:
        start = self.data.rfind(b"\n", 0, at) + 1
        return len(_BOM) if start == 0 and self.data.startswith(_BOM) else start

    def _indent(self, key: Node) -> str:
        return self.data[self._line(key.span.start) : key.span.start].decode("utf-8", "replace")

    def _prefix(self, key: Node) -> str:
        """What stands before the key: its indentation; in TOML also the rest of a dotted key."""
        text = self._indent(key)
        return text if self.syntax == "toml" or not text.strip() else " " * len(text)

    def _eol(self) -> str:
        return "\r\n" if b"\r\n" in self.data else "\n"

    def _byte(self, at: int) -> bytes:
        return self.data[at : at + 1]
