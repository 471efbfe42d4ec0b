"""Nested values as a program prints them: JSON, a Python dictionary, the repr of a dataclass."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from medic.run_config import Scalar
from medic.text.patterns import regex

from .start_blocks import MAX_TEXT

_MAX_DEPTH = 12
# <enum: 1>, <object at 0x7f>: what has no literal.
_OBJECT = regex(r"<[\w.]{1,200}(?:: [^<>\n]{0,60}|[^<>\n]{0,120} at 0x[0-9a-f]{1,16})>")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}

# (key path, value, line within the text counted from 0)
Setting = tuple[tuple[str, ...], Scalar, int]


def settings_of(text: str) -> list[Setting]:
    """Every scalar of a printed value with its path; none if the text is no such value."""
    if len(text) > MAX_TEXT:
        return []
    plain = _OBJECT.sub(lambda found: "None" + "\n" * found[0].count("\n"), text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(plain.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return list(_walk(tree.body, ()))


def _walk(node: ast.expr, path: tuple[str, ...]) -> Iterator[Setting]:
    if len(path) > _MAX_DEPTH:
        return
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant):
                yield from _walk(value, (*path, str(key.value)))
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg:
                yield from _walk(keyword.value, (*path, keyword.arg))
    elif path and (known := _scalar(node)) is not None:
        yield path, known, node.lineno - 1


def _scalar(node: ast.expr) -> Scalar:
    """A constant, or the last word of a name (``SchedulerType.COSINE``, ``torch.bfloat16``)."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _scalar(node.operand)
        return -value if isinstance(value, (int, float)) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str)):
        return node.value
    if isinstance(node, ast.Name):
        return _WORDS.get(node.id)
    return node.attr.lower() if isinstance(node, ast.Attribute) else None
