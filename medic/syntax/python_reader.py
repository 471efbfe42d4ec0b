"""Goes through Python code as far as its values are known; see ``python_values``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from medic.run_config import MORE
from medic.syntax.python_values import (
    ARGUMENTS,
    BESIDE,
    MAX_CALLS,
    MAX_STEPS,
    WRAPPERS,
    Group,
    Items,
    Known,
    Names,
    Result,
    Unknown,
    arithmetic,
    dotted,
    literal,
    signed,
)

_CASTS = {"int": int, "float": float}


class Reader:
    """Reads one module. ``groups`` are the settings that it binds to a name or returns.

    ``options``: defaults of the program's options, where they count as what it runs with (``args.lr``).
    ``steps``: statements and expressions that were gone through; after ``MAX_STEPS`` none counts.
    """

    def __init__(self, module: ast.Module, options: Names | None = None) -> None:
        self.options = options or {}
        self.functions = {f.name: f for f in module.body if isinstance(f, ast.FunctionDef)}
        self.names: Names = {}
        self.groups: list[Group] = []
        self.beside: list[Group] = []  # of what is trained, as BESIDE names it
        self.steps = 0
        self._calls: list[str] = []
        self._run(module.body, self.names)

    def call(self, name: str) -> Result | None:
        """What a function of the module returns for its defaults."""
        return self._apply(self.functions[name], {})

    # --- statements -------------------------------------------------------------------------

    def _run(self, body: Sequence[ast.stmt], names: Names) -> Result | None:
        """Goes through statements; what they return, or None if they return nothing."""
        for statement in body:
            self.steps += 1
            if self.steps > MAX_STEPS:
                return None
            if isinstance(statement, ast.Return):
                value = statement.value
                return self.value(value, names) if value is not None else None
            returned = self._one(statement, names)
            if returned is not None:
                return returned
        return None

    def _one(self, statement: ast.stmt, names: Names) -> Result | None:
        if isinstance(statement, ast.Assign):
            value = self.value(statement.value, names)
            for target in statement.targets:
                self._bind(target, value, names)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._bind(statement.target, self.value(statement.value, names), names)
        elif isinstance(statement, ast.AugAssign):
            before = self.value(statement.target, names)
            after = self.value(statement.value, names)
            result = arithmetic(statement.value, statement.op, before, after)
            self._bind(statement.target, result, names)
        elif isinstance(statement, ast.Expr):
            self.value(statement.value, names)
        elif isinstance(statement, ast.If):
            return self._choice(statement, names)
        elif isinstance(statement, ast.With):
            return self._run(statement.body, names)
        elif isinstance(statement, (ast.For, ast.While, ast.Try)):
            self._forget(statement, names)
        return None

    def _choice(self, statement: ast.If, names: Names) -> Result | None:
        test = self.value(statement.test, names)
        if isinstance(test, Known):
            return self._run(statement.body if test.value else statement.orelse, names)
        self._forget(statement, names)
        return None

    def _forget(self, statement: ast.stmt, names: Names) -> None:
        """What code that may or may not run sets is not known after it."""
        for node in ast.walk(statement):
            self.steps += 1
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                self._bind(node, Unknown(node), names)

    def _bind(self, target: ast.expr, value: Result, names: Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = value
            if isinstance(value, Group):
                self.groups.append(value)
        elif isinstance(target, ast.Attribute):
            first, *path = dotted(target).split(".")
            holder = names.get(first)
            if path and isinstance(holder, Group):
                holder.put(path, target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = value.values if isinstance(value, Items) else ()
            same = len(values) == len(target.elts)
            for i, one in enumerate(target.elts):
                self._bind(one, values[i] if same else Unknown(one), names)

    # --- values -----------------------------------------------------------------------------

    def value(self, node: ast.expr, names: Names) -> Result:
        self.steps += 1
        if self.steps > MAX_STEPS:
            return Unknown(node)
        if isinstance(node, ast.Name):
            return names.get(node.id) or self.names.get(node.id) or Unknown(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, names)
        if isinstance(node, ast.UnaryOp):
            return signed(node, self.value(node.operand, names))
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, names), self.value(node.right, names)
            return arithmetic(node, node.op, left, right)
        if isinstance(node, ast.Compare):
            return self._comparison(node, names)
        if isinstance(node, (ast.List, ast.Tuple)):
            return Items(tuple(self.value(e, names) for e in node.elts), node)
        if isinstance(node, ast.Dict):
            return self._dict(node, names)
        if isinstance(node, ast.Call):
            return self._call(node, names)
        return literal(node)

    def _attribute(self, node: ast.Attribute, names: Names) -> Result:
        first, *path = dotted(node).split(".")
        found: Result | None = names.get(first)
        for step in path:
            found = found.get(step) if isinstance(found, Group) else None
        if found is None and path:
            found = self.options.get(path[-1])
        return found if found is not None else literal(node)

    def _comparison(self, node: ast.Compare, names: Names) -> Result:
        """``__name__ == "__main__"`` holds: the file is what is launched."""
        right = self.value(node.comparators[0], names)
        if dotted(node.left) == "__name__" and isinstance(right, Known):
            return Known(right.value == "__main__", node)
        left = self.value(node.left, names)
        if isinstance(left, Known) and isinstance(right, Known) and len(node.ops) == 1:
            if isinstance(node.ops[0], (ast.Eq, ast.Is)):
                return Known(left.value == right.value, node)
            if isinstance(node.ops[0], (ast.NotEq, ast.IsNot)):
                return Known(left.value != right.value, node)
        return Unknown(node)

    def _dict(self, node: ast.Dict, names: Names) -> Result:
        group = Group(node)
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                group.settings[key.value] = (key, self.value(value, names))
        return group

    def _call(self, node: ast.Call, names: Names) -> Result:
        name = dotted(node.func)
        given = [self.value(one, names) for one in node.args]
        by_name = {k.arg: (k, self.value(k.value, names)) for k in node.keywords if k.arg}
        if name in self.functions:
            function = self.functions[name]
            places = dict(zip(_parameters(function), given, strict=False))
            returned = self._apply(function, places | {k: v for k, (_, v) in by_name.items()})
            return returned if returned is not None else Unknown(node)
        if name in _CASTS and len(given) == 1:
            return _cast(node, name, given[0])
        if not name:  # SFTTrainer(…).train()
            if isinstance(node.func, ast.Attribute):
                self.value(node.func.value, names)
            return Unknown(node)
        last = name.rpartition(".")[2]
        wraps = last in WRAPPERS and node.args
        group = Group(node, dotted(node.args[0]) if wraps else name, last == "Partial")
        group.settings.update(by_name)
        open_end = next((k for k in node.keywords if k.arg is None), None)
        if open_end is not None:
            group.settings[MORE] = (open_end, Unknown(open_end.value))
        elif not wraps and last[:1].islower():  # what a function adds stands elsewhere
            group.settings[MORE] = (node, Unknown(node))
        if last in BESIDE:
            self.beside.append(group)
        if last in ARGUMENTS:
            group.runs = True
            self.groups.append(group)
        return group

    def _apply(self, function: ast.FunctionDef, given: Names) -> Result | None:
        """What a function of the module returns; unknown arguments stay unknown."""
        if function.name in self._calls or len(self._calls) >= MAX_CALLS:
            return None
        names: Names = dict(_defaults(self, function))
        names.update(given)
        self._calls.append(function.name)
        returned = self._run(function.body, names)
        self._calls.pop()
        if isinstance(returned, Group):
            self.groups.append(returned)
        return returned


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [a.arg for a in (*function.args.posonlyargs, *function.args.args)]


def _defaults(reader: Reader, function: ast.FunctionDef) -> Iterator[tuple[str, Result]]:
    """(parameter, its default), unknown where it has none."""
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(places) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [*zip(places, defaults, strict=True)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for parameter, default in pairs:
        unknown = ast.copy_location(ast.Name(parameter.arg, ast.Load()), parameter)
        value = reader.value(default, {}) if default is not None else Unknown(unknown)
        yield parameter.arg, value


def _cast(node: ast.Call, name: str, value: Result) -> Result:
    if not isinstance(value, Known) or not isinstance(value.value, (int, float)):
        return Unknown(node)
    try:
        return Known(_CASTS[name](value.value), node)
    except (ArithmeticError, ValueError):
        return Unknown(node)
