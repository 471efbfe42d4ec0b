"""JSON -> nodes. Comments, trailing commas and NaN are read, as DeepSpeed and Python read them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from medic.errors import Unreadable
from medic.facts import Document, Node, Problem
from medic.i18n import Text
from medic.syntax.bare_words import bare
from medic.syntax.source import MAX_DEPTH, SourceText
from medic.syntax.trees import Pair, mapping
from medic.syntax.treesitter import first_error, named, tree_of
from medic.text.parserwords import in_chinese
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

# Even a list of numbers has two tree nodes a value, a pair about ten.
_TOKENS_A_VALUE = 10
_NAMES = {b"NaN": float("nan"), b"Infinity": float("inf"), b"-Infinity": float("-inf")}
_ESCAPED, _QUOTE = regex(r"\\."), regex('"')
_NEXT = regex(rb'["/#,]|-?Infinity|NaN|[eE]\+')
_STRING = regex(rb'(?:[^"\\]|\\.)*"?', re.DOTALL)
_COMMENT = regex(rb"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_AFTER_COMMA = regex(rb"(?:\s|//[^\n]*|#[^\n]*|/\*.*?\*/)*[}\]]", re.DOTALL)


def parse_json(source: SourceText) -> Document:
    """The first value of a JSON file. Raises Unreadable."""
    root = tree_of("json", source.body)
    if root.has_error:
        strict = _strict(source.body)
        root = tree_of("json", strict)
        if root.has_error:
            raise _unreadable(source, strict, root)
    source.count_all(root.descendant_count // _TOKENS_A_VALUE)
    problems: list[Problem] = []
    values = named(root)
    if len(values) > 1:
        place = source.span(values[1].start_byte, values[1].end_byte)
        problems.append(Problem("syntax", place, "several-documents"))
    problems += _not_strict(source)
    node = _Reader(source, problems).node(values[0], ()) if values else None
    return Document(source.file, "json", node, problems=tuple(problems))


class _Reader:
    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems

    def node(self, here: tree_sitter.Node, path: tuple[str, ...]) -> Node:
        span = self.source.span(here.start_byte, here.end_byte)
        if len(path) >= MAX_DEPTH:
            raise self.source.too_deep(span.line)
        self.source.count(span)
        parts = named(here)
        if here.type == "array":
            elements = tuple(self.node(e, (*path, str(i))) for i, e in enumerate(parts))
            return Node("sequence", span, elements=elements)
        if here.type == "object":
            pairs = [self._pair(part, path) for part in parts]
            return mapping(span, pairs, self.problems, path)
        octets = self.source.body[here.start_byte : here.end_byte]
        value = _scalar(octets)
        quoted = here.type == "string"
        return Node("scalar", span, value, octets.decode("utf-8", "replace"), quoted, value)

    def _pair(self, here: tree_sitter.Node, path: tuple[str, ...]) -> Pair:
        left, right = here.child_by_field_name("key"), here.child_by_field_name("value")
        if left is None or right is None:
            raise self.source.too_deep(here.start_point[0] + 1)
        key = self.node(left, ())
        return key, self.node(right, (*path, str(key.value)))


def _scalar(octets: bytes) -> int | float | bool | str | None:
    if octets in _NAMES:
        return _NAMES[octets]
    try:
        value: int | float | bool | str | None = json.loads(octets, strict=False)
    except ValueError:  # a lone surrogate, or more digits than int() takes
        return octets.decode("utf-8", "replace").strip('"')
    return value


def _strict(data: bytes) -> bytes:
    """The same bytes with what the grammar lacks replaced: comments, trailing commas, NaN, 1e+5."""
    out = bytearray(data)
    at = 0
    while found := _NEXT.search(data, at):
        start, word = found.start(), found.group()
        at = found.end()
        if word == b'"':
            string = _STRING.match(data, at)
            at = string.end() if string else at
        elif word in (b"/", b"#"):
            comment = _COMMENT.match(data, start)
            if comment:
                at = comment.end()
                out[start:at] = re.sub(rb"[^\n]", b" ", comment.group())
        elif word == b",":
            if _AFTER_COMMA.match(data, at):
                out[start:at] = b" "
        elif word in (b"e+", b"E+"):
            out[start:at] = b"e0"
        else:
            out[start:at] = b"1" * len(word)
    return bytes(out)


def _not_strict(source: SourceText) -> list[Problem]:
    """What Python's json.load refuses: comments, trailing commas, a byte order mark."""
    if source.skipped:
        return [Problem("not-strict", source.char_span(0, 0), "Unexpected UTF-8 BOM")]
    try:
        json.loads(source.text, strict=False)
    except json.JSONDecodeError as problem:
        if not problem.msg.startswith("Extra data"):  # told as a second document
            place = source.char_span(problem.pos, problem.pos)
            return [Problem("not-strict", place, problem.msg)]
    except (ValueError, RecursionError):  # more digits than int() takes; the depth is told later
        return []
    return []


def _unreadable(source: SourceText, strict: bytes, root: tree_sitter.Node) -> Unreadable:
    error = first_error(root)
    line = (error.start_point[0] if error else 0) + 1
    said, word = "syntax error", None
    try:
        json.loads(strict, strict=False)
    except json.JSONDecodeError as problem:
        line, said = problem.lineno, problem.msg
        word = bare(problem.doc, problem.pos, null=True) if said == "Expecting value" else None
        if said.startswith("Expecting ',' delimiter"):  # the comma belongs behind what is before
            line = problem.doc.count("\n", 0, len(problem.doc[: problem.pos].rstrip())) + 1
    except RecursionError:
        return source.too_deep(line)
    except ValueError as problem:
        said = str(problem)
    if (opened := _open_quote(source.text, line)) is not None:
        return Unreadable(
            "not JSON: a quote is opened here and not closed",
            "不是合法的 JSON：这里的引号没有闭合",
            at=source.at(opened),
        )
    words = word or Text(said, in_chinese(said))
    return Unreadable(f"not JSON: {words.en}", f"不是合法的 JSON：{words.zh}", at=source.at(line))


def _open_quote(text: str, line: int) -> int | None:
    """The first line up to this one with an odd number of quotes: no string of JSON has two."""
    numbered = enumerate(text.split("\n")[:line], 1)
    before = [(n, one) for n, one in numbered if one.lstrip()[:1] not in ("/", "#")]
    odd = (n for n, one in before if len(_QUOTE.findall(_ESCAPED.sub("", one))) % 2)
    return next(odd, None)
