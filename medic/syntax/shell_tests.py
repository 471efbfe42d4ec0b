"""Conditions of a script that can be decided from what is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from medic.syntax.treesitter import with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

Expand = Callable[["tree_sitter.Node"], "str | None"]

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
}
_PATTERN = regex(r"[*?\[\]()|]")
_DEPTH = 20


def truth(node: tree_sitter.Node, expand: Expand, depth: int = 0) -> bool | None:
    """Whether ``[ … ]`` or ``[[ … ]]`` holds; None where that cannot be known.

    ``expand`` gives the one word that a node becomes, None if it is not known.
    """
    parts = with_comments(node)
    if depth > _DEPTH:
        return None
    if node.type in ("test_command", "parenthesized_expression") and len(parts) == 1:
        if node.children[0].type not in ("[", "[[", "("):
            return None
        return truth(parts[0], expand, depth + 1)
    if node.type == "binary_expression" or (node.type == "list" and len(parts) == 2):
        return _binary(node, expand, depth)
    if node.type == "unary_expression" and len(parts) >= 1:
        operator = _text(node.children[0])
        if operator == "!":
            inner = truth(parts[-1], expand, depth + 1)
            return None if inner is None else not inner
        value = expand(parts[-1]) if operator in ("-z", "-n") else None
        return None if value is None else (value == "") == (operator == "-z")
    return None


def _binary(node: tree_sitter.Node, expand: Expand, depth: int) -> bool | None:
    if len(node.children) != 3:
        return None
    left, found, right = node.children
    operator = _text(found)
    if operator in ("&&", "||"):
        sides = (truth(left, expand, depth + 1), truth(right, expand, depth + 1))
        decided = operator == "||"
        if decided in sides:
            return decided
        return None if None in sides else not decided
    values = expand(left), expand(right)
    if values[0] is None or values[1] is None:
        return None
    if operator in ("==", "=", "!="):
        if _PATTERN.search(values[1]):
            return None
        return (values[0] == values[1]) == (operator != "!=")
    if operator in _NUMBERS and all(re.fullmatch(r"-?\d{1,18}", v or "") for v in values):
        return _NUMBERS[operator](int(values[0]), int(values[1]))
    return None


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
