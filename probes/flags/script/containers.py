"""Lists, dicts, subscripts and comprehensions of a script that is read, not run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from .machine import MAX_ITEMS, Machine
from .values import UNKNOWN, External, Scope, Subscripted, Value, truth


def _sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    items: list[Value] = []
    for item in node.elts:
        if not isinstance(item, ast.Starred):
            items.append(machine.evaluate(item, scope))
            continue
        several = machine.evaluate(item.value, scope)
        if not isinstance(several, (list, tuple)):
            return UNKNOWN
        items.extend(several)
    # A set keeps the order of its text here, so that what is read does not vary.
    return items if isinstance(node, ast.List) else tuple(items)


def _dict(machine: Machine, node: ast.Dict, scope: Scope) -> Value:
    found: dict[Value, Value] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        value = machine.evaluate(item, scope)
        if key is None:
            if not isinstance(value, dict):
                return UNKNOWN
            found.update(value)
            continue
        name = machine.evaluate(key, scope)
        if not isinstance(name, (str, int, float, type(None), External)):
            return UNKNOWN
        found[name] = value
    return found


def _subscript(machine: Machine, node: ast.Subscript, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    if isinstance(node.slice, ast.Slice):
        return _slice(machine, value, node.slice, scope)
    index = machine.evaluate(node.slice, scope)
    if isinstance(value, (External, Subscripted)) or (
        not isinstance(value, (list, tuple, dict, str)) and value is not UNKNOWN
    ):
        arguments = index if isinstance(index, tuple) else (index,)
        return Subscripted(value, tuple(arguments))
    try:
        return value[index]  # type: ignore[index]
    except (TypeError, KeyError, IndexError):
        return UNKNOWN


def _slice(machine: Machine, value: Value, part: ast.Slice, scope: Scope) -> Value:
    ends = [machine.evaluate(e, scope) for e in (part.lower, part.upper, part.step)]
    good = all(e is None or isinstance(e, int) for e in ends) and ends[2] != 0
    if isinstance(value, (str, list, tuple)) and good:
        return value[slice(*ends)]
    return UNKNOWN


def items_of(value: Value) -> list[Value] | None:
    """What a loop over the value goes through; None if that cannot be known."""
    if isinstance(value, (list, tuple, dict)):
        return list(value)[:MAX_ITEMS]
    return list(value) if isinstance(value, str) else None


def _rounds(
    machine: Machine, generators: list[ast.comprehension], scope: Scope
) -> Iterator[Scope | None]:
    """A scope for each round of a comprehension; None for a round that cannot be known."""
    if not generators:
        yield scope
        return
    first, rest = generators[0], generators[1:]
    source = machine.evaluate(first.iter, scope)
    items = items_of(source)
    if items is None:
        yield None
        return
    for item in items:
        inner = Scope(parent=scope, file=scope.file)
        machine.bind(first.target, item, inner)
        tests = [truth(machine.evaluate(test, inner)) for test in first.ifs]
        if False in tests:
            continue
        if None in tests:
            yield None
        else:
            yield from _rounds(machine, rest, inner)


def _comprehension(
    machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
) -> Value:
    found: list[Value] = []
    unknown = False
    for inner in _rounds(machine, node.generators, scope):
        # The element is read even in an unknown round: it may add an argument.
        if inner is None:
            machine.evaluate(node.elt, _blank(machine, node.generators, scope))
            unknown = True
        else:
            found.append(machine.evaluate(node.elt, inner))
    return UNKNOWN if unknown else found


def _blank(machine: Machine, generators: list[ast.comprehension], scope: Scope) -> Scope:
    inner = Scope(parent=scope, file=scope.file)
    for generator in generators:
        machine.bind(generator.target, UNKNOWN, inner)
    return inner


def _dict_comprehension(machine: Machine, node: ast.DictComp, scope: Scope) -> Value:
    found: dict[Value, Value] = {}
    for inner in _rounds(machine, node.generators, scope):
        if inner is None:
            return UNKNOWN
        key = machine.evaluate(node.key, inner)
        if not isinstance(key, (str, int)):
            return UNKNOWN
        found[key] = machine.evaluate(node.value, inner)
    return found


HANDLERS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
}
