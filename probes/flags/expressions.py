"""Expressions: literals and what can be computed of them; all else is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Callable

from . import comparison, containers
from .attributes import attribute
from .machine import MAX_ITEMS, MAX_TEXT, Machine
from .values import UNKNOWN, Arguments, External, Function, Scope, Subscripted, Value, known


def evaluate(machine: Machine, node: ast.expr | None, scope: Scope) -> Value:
    """The value of an expression."""
    machine.step()
    if node is None:
        return None
    handler = _HANDLERS.get(type(node))
    return UNKNOWN if handler is None else handler(machine, node, scope)


def _constant(_: Machine, node: ast.Constant, __: Scope) -> Value:
    return UNKNOWN if node.value is Ellipsis else node.value


def _name(_: Machine, node: ast.Name, scope: Scope) -> Value:
    return scope.get(node.id)


def _attribute(machine: Machine, node: ast.Attribute, scope: Scope) -> Value:
    return attribute(machine.evaluate(node.value, scope), node.attr)


def _call(machine: Machine, node: ast.Call, scope: Scope) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return scope.get("__super__")
    function = machine.evaluate(node.func, scope)
    return machine.call(function, _arguments(machine, node, scope))


def _arguments(machine: Machine, node: ast.Call, scope: Scope) -> Arguments:
    given = Arguments(line=node.lineno, file=scope.file)
    for item in node.args:
        if not isinstance(item, ast.Starred):
            given.positional.append(machine.evaluate(item, scope))
            continue
        several = machine.evaluate(item.value, scope)
        if isinstance(several, (list, tuple)):
            given.positional.extend(several)
        else:
            given.open_positional = True
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            given.keywords[keyword.arg] = value
        elif isinstance(value, dict):
            given.keywords.update({k: v for k, v in value.items() if isinstance(k, str)})
        else:
            given.open_keywords = True
    return given


# --- texts ----------------------------------------------------------------------------------


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


def _sum(left: Value, right: Value) -> Value:
    for kind, limit in ((str, MAX_TEXT), (list, MAX_ITEMS), (tuple, MAX_ITEMS)):
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


# --- others ---------------------------------------------------------------------------------


def _lambda(machine: Machine, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope)


def _walrus(machine: Machine, node: ast.NamedExpr, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    machine.bind(node.target, value, scope)
    return value


_HANDLERS: dict[type[ast.expr], Callable[..., Value]] = {
    **containers.HANDLERS,
    **comparison.HANDLERS,
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.BinOp: _binary,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
}
