"""Shell arithmetic on integers that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from medic.syntax.treesitter import tree_of, with_comments

if TYPE_CHECKING:
    import tree_sitter

_LIMIT = 2**63
_DEPTH = 50


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)  # C rounds towards zero
    return quotient if (left < 0) == (right < 0) else -quotient


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": lambda a, b: a - _divide(a, b) * b,
    "**": lambda a, b: a**b if 0 <= b < 64 else _LIMIT,
    "<<": lambda a, b: a << b if 0 <= b < 63 else _LIMIT,
    ">>": lambda a, b: a >> b if 0 <= b < 63 else _LIMIT,
}


def evaluate(
    node: tree_sitter.Node, variable: Callable[[str], int | None], depth: int = 0
) -> int | None:
    """The value of ``$((…))`` or a part of it; None where a variable or operator is not known."""
    if depth > _DEPTH:
        return None
    parts = with_comments(node)
    if node.type in ("arithmetic_expansion", "parenthesized_expression"):
        return evaluate(parts[0], variable, depth + 1) if len(parts) == 1 else None
    if node.type == "binary_expression":
        return _binary(node, variable, depth)
    if node.type == "unary_expression" and len(parts) == 1:
        value = evaluate(parts[0], variable, depth + 1)
        signs = {"-": -1, "+": 1}
        sign = signs.get(_text(node.children[0]))
        return None if value is None or sign is None else sign * value
    if node.type in ("simple_expansion", "expansion") and len(node.children) <= 3:
        name = parts[0] if len(parts) == 1 else None
        return variable(_text(name)) if name and name.type == "variable_name" else None
    if node.type == "variable_name":
        return variable(_text(node))
    text = _text(node)
    if not text.isdecimal() or len(text) >= 19:
        return None
    octal = text.startswith("0")  # 08 is none, and an error
    return int(text, 8 if octal else 10) if not octal or not {"8", "9"} & set(text) else None


def is_sum(node: tree_sitter.Node) -> bool:
    """Whether it is ``$((…))`` that the grammar takes for a command, as it does in a here-document."""
    if node.type != "command_substitution" or _text(node)[:3] != "$((":
        return False
    return node.parent is not None and node.parent.type == "heredoc_body"


def as_sum(node: tree_sitter.Node) -> tree_sitter.Node:
    """The same read as what it is."""
    if not is_sum(node):
        return node
    return sum_in(tree_of("bash", b"_=" + (node.text or b""))) or node


def sum_in(root: tree_sitter.Node) -> tree_sitter.Node | None:
    """The first ``$((…))`` of a tree."""
    todo = [root]
    while todo:
        here = todo.pop()
        if here.type == "arithmetic_expansion":
            return here
        todo += with_comments(here)
    return None


def number_of(text: str, variable: Callable[[str], int | None]) -> int | None:
    """What a variable of ``declare -i`` becomes that is given this text; an empty one is 0."""
    if not text.strip():
        return 0
    found = sum_in(tree_of("bash", f"_=$(({text}))".encode()))
    return evaluate(found, variable) if found is not None and not found.has_error else None


def _binary(
    node: tree_sitter.Node, variable: Callable[[str], int | None], depth: int
) -> int | None:
    sides = [node.child_by_field_name(name) for name in ("left", "right")]
    operator = node.child_by_field_name("operator")
    if None in sides or operator is None:
        return None
    left, right = (evaluate(side, variable, depth + 1) if side else None for side in sides)
    compute = _BINARY.get(_text(operator))
    if left is None or right is None or compute is None:
        return None
    if _text(operator) in "/%" and right == 0:
        return None
    value = compute(left, right)
    return value if abs(value) < _LIMIT else None


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
