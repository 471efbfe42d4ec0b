"""Tests of a script that is read, not run: each is true, false, or not to be known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .machine import Machine
from .values import (
    UNKNOWN,
    External,
    Function,
    Parser,
    Remainder,
    Scope,
    Subscripted,
    Value,
    known,
    truth,
)


def _logic(machine: Machine, node: ast.BoolOp, scope: Scope) -> Value:
    stop = isinstance(node.op, ast.Or)
    value: Value = UNKNOWN
    for item in node.values:
        value = machine.evaluate(item, scope)
        decided = truth(value)
        if decided is None:
            return UNKNOWN
        if decided is stop:
            return value
    return value


def _unary(machine: Machine, node: ast.UnaryOp, scope: Scope) -> Value:
    value = machine.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        decided = truth(value)
        return UNKNOWN if decided is None else not decided
    if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
        return -value
    return UNKNOWN


def _choice(machine: Machine, node: ast.IfExp, scope: Scope) -> Value:
    decided = truth(machine.evaluate(node.test, scope))
    if decided is not None:
        return machine.evaluate(node.body if decided else node.orelse, scope)
    values = [machine.evaluate(node.body, scope), machine.evaluate(node.orelse, scope)]
    return join(values)


def join(values: list[Value]) -> Value:
    """One value for several that are possible: the parser among them, or what all agree on."""
    for value in values:
        if isinstance(value, (Parser, Function)):
            return value
    first = values[0] if values else None
    return first if all(same(first, v) is True for v in values) else UNKNOWN


def same(left: Value, right: Value) -> bool | None:
    """Whether two values are the same; None if that cannot be known."""
    if left is right and left is not UNKNOWN:
        return True
    if known(left) and known(right):
        return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)
    if UNKNOWN in (left, right) or isinstance(left, Remainder) or isinstance(right, Remainder):
        return None
    if isinstance(left, External) and isinstance(right, External):
        return _same_names(left.name, right.name)
    if isinstance(left, Subscripted) and isinstance(right, Subscripted):
        return left == right
    imported = [v for v in (left, right) if isinstance(v, External) and not _fixed(v.name)]
    return None if imported or type(left) is type(right) else False


def _fixed(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in ("builtins", "typing", "dataclasses")


def _same_names(left: str, right: str) -> bool | None:
    if left == right:
        return True
    return False if _fixed(left) and _fixed(right) else None


def _compare(machine: Machine, node: ast.Compare, scope: Scope) -> Value:
    if len(node.ops) != 1:
        return UNKNOWN
    left = machine.evaluate(node.left, scope)
    right = machine.evaluate(node.comparators[0], scope)
    operator = node.ops[0]
    if isinstance(operator, (ast.Eq, ast.Is)):
        return _told(same(left, right))
    if isinstance(operator, (ast.NotEq, ast.IsNot)):
        return _told(same(left, right), negate=True)
    if isinstance(operator, (ast.In, ast.NotIn)):
        return _told(_contains(right, left), negate=isinstance(operator, ast.NotIn))
    return UNKNOWN


def _contains(container: Value, item: Value) -> bool | None:
    if isinstance(container, str):
        return item in container if isinstance(item, str) else None
    if not isinstance(container, (list, tuple, dict)):
        return None
    answers = [same(item, one) for one in container]
    if True in answers:
        return True
    return None if None in answers else False


def _told(answer: bool | None, *, negate: bool = False) -> Value:
    return UNKNOWN if answer is None else answer is not negate


HANDLERS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.BoolOp: _logic,
    ast.UnaryOp: _unary,
    ast.IfExp: _choice,
    ast.Compare: _compare,
}
