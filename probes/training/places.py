"""Where a node of a program stands in its file."""

from __future__ import annotations

import ast

from medic.run_config import Span


def span_of(path: str, text: str, node: ast.AST) -> Span:
    """Where a node begins, to the end of its line if it goes on there."""
    lines = text.split("\n")
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    same = getattr(node, "end_lineno", line) == line
    octets = lines[line - 1].encode()
    end = getattr(node, "end_col_offset", len(octets)) if same else len(octets.rstrip())
    start = sum(len(one.encode()) + 1 for one in lines[: line - 1])
    first = len(octets[:column].decode("utf-8", "replace")) + 1
    final = len(octets[:end].decode("utf-8", "replace")) + 1
    return Span(path, start + column, start + end, line, first, line, final)
