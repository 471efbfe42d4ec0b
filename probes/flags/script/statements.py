"""Statements of a script that is read, not run: where a test is unknown, both ways are taken."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .comparison import join
from .containers import items_of
from .fields import field_of
from .machine import Machine
from .values import UNKNOWN, Instance, Parser, Remainder, Scope, Value, truth

# How a block ended: "" (went on), return, raise, break, continue.
Signal = str


def execute(machine: Machine, body: Sequence[ast.stmt], scope: Scope) -> Signal:
    """Goes through statements in order; gives how they ended."""
    for statement in body:
        machine.step()
        handler = _HANDLERS.get(type(statement))
        signal = handler(machine, statement, scope) if handler else ""
        if signal:
            return signal
    return ""


def _expression(machine: Machine, node: ast.Expr, scope: Scope) -> Signal:
    machine.evaluate(node.value, scope)
    return "raise" if _leaves(machine, node.value, scope) else ""


def _leaves(machine: Machine, node: ast.expr, scope: Scope) -> bool:
    """``sys.exit()``, ``parser.error()`` and their like do not come back."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Name):
        return function.id == "exit"
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "error":
        return isinstance(machine.evaluate(function.value, scope), Parser)
    return function.attr in ("exit", "_exit", "abort")


# --- names ----------------------------------------------------------------------------------


def _assign(machine: Machine, node: ast.Assign, scope: Scope) -> Signal:
    value = machine.evaluate(node.value, scope)
    for target in node.targets:
        machine.bind(target, value, scope)
    return ""


def _annotated(machine: Machine, node: ast.AnnAssign, scope: Scope) -> Signal:
    if scope.is_class:
        found = field_of(machine, node, scope)
        if found is not None:
            machine.fields_of(scope).append(found)
            if node.value is not None:
                scope.set(found.name, found.default)
    elif node.value is not None:
        machine.bind(node.target, machine.evaluate(node.value, scope), scope)
    return ""


def _augmented(machine: Machine, node: ast.AugAssign, scope: Scope) -> Signal:
    total = ast.BinOp(_as_load(node.target), node.op, node.value)
    value = machine.evaluate(total, scope)
    old = machine.evaluate(_as_load(node.target), scope)
    if isinstance(old, list) and isinstance(value, list):
        old[:] = value
    else:
        machine.bind(node.target, value, scope)
    return ""


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Constant(Ellipsis)


def bind(machine: Machine, target: ast.expr, value: Value, scope: Scope) -> None:
    """Gives a value to what stands left of ``=``."""
    if isinstance(target, ast.Name):
        scope.set(target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(machine, target.elts, value, scope)
    elif isinstance(target, ast.Starred):
        bind(machine, target.value, UNKNOWN, scope)
    elif isinstance(target, ast.Attribute):
        owner = machine.evaluate(target.value, scope)
        if isinstance(owner, (Instance, Parser)):
            owner.attributes[target.attr] = value
        elif getattr(owner, "name", "") == "sys" and target.attr == "argv":
            machine.foreign.append("sys.argv")
    elif isinstance(target, ast.Subscript):
        _set_item(machine, target, value, scope)


def _unpack(machine: Machine, targets: Sequence[ast.expr], value: Value, scope: Scope) -> None:
    fits = isinstance(value, (list, tuple)) and len(value) == len(targets)
    starred = any(isinstance(t, ast.Starred) for t in targets)
    for index, target in enumerate(targets):
        bind(machine, target, value[index] if fits and not starred else UNKNOWN, scope)


def _set_item(machine: Machine, target: ast.Subscript, value: Value, scope: Scope) -> None:
    owner = machine.evaluate(target.value, scope)
    if getattr(owner, "name", "") == "sys.argv":
        machine.foreign.append("sys.argv")
    if isinstance(owner, dict) and not isinstance(target.slice, ast.Slice):
        key = machine.evaluate(target.slice, scope)
        if isinstance(key, (str, int)):
            owner[key] = value


def _global(_: Machine, node: ast.Global, scope: Scope) -> Signal:
    scope.outer.update(node.names)
    return ""


# --- branches and loops ---------------------------------------------------------------------


def _if(machine: Machine, node: ast.If, scope: Scope) -> Signal:
    decided = truth(machine.evaluate(node.test, scope))
    if decided is not None:
        return execute(machine, node.body if decided else node.orelse, scope)
    _checks_leftovers(machine, node.test, node.body, scope)
    return _both(machine, [node.body, node.orelse], scope)


def _both(machine: Machine, bodies: Sequence[Sequence[ast.stmt]], scope: Scope) -> Signal:
    """Takes every way from the same start; a name that then differs is unknown."""
    before = dict(scope.names)
    ends: list[dict[str, Value]] = []
    signals: list[Signal] = []
    for body in bodies:
        scope.names = dict(before)
        signals.append(execute(machine, body, scope))
        if not signals[-1]:
            ends.append(scope.names)
    if not ends:
        scope.names = before
        return signals[0]
    scope.names = {
        name: join([end[name] for end in ends if name in end])
        for name in dict.fromkeys(n for end in ends for n in end)
    }
    return ""


def _checks_leftovers(
    machine: Machine, test: ast.expr, body: Sequence[ast.stmt], scope: Scope
) -> None:
    """``if unknown: raise …`` after parse_known_args makes an unknown flag an error after all."""
    tested = [scope.get(n.id) for n in ast.walk(test) if isinstance(n, ast.Name)]
    leftovers = [value for value in tested if isinstance(value, Remainder)]
    if leftovers and any(_stops(machine, statement, scope) for statement in body):
        for value in leftovers:
            value.parser.strict = True


def _stops(machine: Machine, statement: ast.stmt, scope: Scope) -> bool:
    return any(
        isinstance(n, ast.Raise) or (isinstance(n, ast.Expr) and _leaves(machine, n.value, scope))
        for n in ast.walk(statement)
    )


def _assert(machine: Machine, node: ast.Assert, scope: Scope) -> Signal:
    machine.evaluate(node.test, scope)
    _checks_leftovers(machine, node.test, [ast.Raise()], scope)
    return ""


def _for(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope) -> Signal:
    source = machine.evaluate(node.iter, scope)
    if isinstance(source, Remainder):
        source.parser.complete = False
    items = items_of(source)
    if items is None:
        bind(machine, node.target, UNKNOWN, scope)
        _both(machine, [node.body, []], scope)
        return execute(machine, node.orelse, scope)
    for item in items:
        bind(machine, node.target, item, scope)
        signal = execute(machine, node.body, scope)
        if signal == "break":
            return ""
        if signal in ("return", "raise"):
            return signal
    return execute(machine, node.orelse, scope)


def _while(machine: Machine, node: ast.While, scope: Scope) -> Signal:
    if truth(machine.evaluate(node.test, scope)) is not False:
        _both(machine, [node.body, []], scope)
    return ""


def _try(machine: Machine, node: ast.Try, scope: Scope) -> Signal:
    signal = execute(machine, node.body, scope)
    if signal == "raise" and node.handlers:
        signal = _both(machine, [h.body for h in node.handlers], scope)
    elif not signal:
        signal = execute(machine, node.orelse, scope)
    return execute(machine, node.finalbody, scope) or signal


def _with(machine: Machine, node: ast.With | ast.AsyncWith, scope: Scope) -> Signal:
    for item in node.items:
        machine.evaluate(item.context_expr, scope)
        if item.optional_vars is not None:
            bind(machine, item.optional_vars, UNKNOWN, scope)
    return execute(machine, node.body, scope)


def _match(machine: Machine, node: ast.Match, scope: Scope) -> Signal:
    machine.evaluate(node.subject, scope)
    return _both(machine, [*(case.body for case in node.cases), []], scope)


def _return(machine: Machine, node: ast.Return, scope: Scope) -> Signal:
    scope.returns.append(machine.evaluate(node.value, scope))
    return "return"


_HANDLERS: dict[type[ast.stmt], Callable[..., Signal]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.Return: _return,
    ast.Assert: _assert,
    ast.Raise: lambda *_: "raise",
    ast.Break: lambda *_: "break",
    ast.Continue: lambda *_: "continue",
    ast.Import: lambda m, n, s: m.import_names(n, s),
    ast.ImportFrom: lambda m, n, s: m.import_from(n, s),
    ast.FunctionDef: lambda m, n, s: m.define(n, s),
    ast.AsyncFunctionDef: lambda m, n, s: m.define(n, s),
    ast.ClassDef: lambda m, n, s: m.define_class(n, s),
}
