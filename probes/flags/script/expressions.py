"""Expressions: literals and what can be computed of them; all else is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Callable

from . import comparison, containers, texts
from .attributes import attribute
from .machine import Machine
from .values import UNKNOWN, Arguments, Function, Scope, Value


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


def _lambda(_: Machine, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope)


def _walrus(machine: Machine, node: ast.NamedExpr, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    machine.bind(node.target, value, scope)
    return value


_HANDLERS: dict[type[ast.expr], Callable[..., Value]] = {
    **containers.HANDLERS,
    **comparison.HANDLERS,
    **texts.HANDLERS,
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
}
