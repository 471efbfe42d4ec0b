"""Texts that a script puts together from literals, and sums."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .machine import MAX_ITEMS, MAX_TEXT, Machine
from .values import UNKNOWN, External, Scope, Subscripted, Value, known


def text_of(value: Value) -> Value:
    """``str(value)`` of a literal, else UNKNOWN."""
    if isinstance(value, str):
        return value
    return str(value) if known(value) and not isinstance(value, (set, frozenset)) else UNKNOWN


def _joined(machine: Machine, node: ast.JoinedStr, scope: Scope) -> Value:
    parts = [machine.evaluate(part, scope) for part in node.values]
    if not all(isinstance(part, str) for part in parts):
        return UNKNOWN
    return "".join(parts)[:MAX_TEXT]


def _formatted(machine: Machine, node: ast.FormattedValue, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    plain = node.format_spec is None and node.conversion in (-1, 115)
    return text_of(value) if plain else UNKNOWN


def _binary(machine: Machine, node: ast.BinOp, scope: Scope) -> Value:
    left, right = machine.evaluate(node.left, scope), machine.evaluate(node.right, scope)
    if isinstance(node.op, ast.BitOr) and not (known(left) and known(right)):
        return _either(left, right)
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        return _percent(left, right)
    if isinstance(node.op, ast.Add):
        return _sum(left, right)
    return UNKNOWN


_JOINED: tuple[tuple[Any, int], ...] = ((str, MAX_TEXT), (list, MAX_ITEMS), (tuple, MAX_ITEMS))


def _sum(left: Value, right: Value) -> Value:
    for kind, limit in _JOINED:
        if isinstance(left, kind) and isinstance(right, kind):
            return left + right if len(left) + len(right) <= limit else UNKNOWN
    numbers = (int, float)
    if isinstance(left, numbers) and isinstance(right, numbers) and abs(left) + abs(right) < 1e15:
        return left + right
    return UNKNOWN


def _percent(pattern: str, values: Value) -> Value:
    items = values if isinstance(values, tuple) else (values,)
    if pattern.count("%") != pattern.count("%s") or pattern.count("%s") != len(items):
        return UNKNOWN
    texts = [text_of(item) for item in items]
    if not all(isinstance(t, str) for t in texts):
        return UNKNOWN
    return (pattern % tuple(texts))[:MAX_TEXT]


def _either(left: Value, right: Value) -> Value:
    """``int | None`` as a type."""
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if UNKNOWN in (left, right):
        return UNKNOWN
    first = left.arguments if _is_union(left) else (left,)
    return Subscripted(External("typing.Union"), (*first, right))


def _is_union(value: Value) -> bool:
    return isinstance(value, Subscripted) and value.origin == External("typing.Union")


HANDLERS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.BinOp: _binary,
}
