"""Goes through a training script and the given modules it imports, without running any of it."""

from __future__ import annotations

import ast
from typing import Any

from medic.errors import Unreadable

from . import calls, expressions, statements
from .attributes import attribute, imported
from .comparison import join
from .files import SourceFiles
from .machine import OutOfSteps
from .values import (
    UNKNOWN,
    Arguments,
    Class,
    ClickCommand,
    External,
    Field,
    Function,
    Instance,
    Module,
    Parser,
    Scope,
    Super,
    Value,
)

MAX_STEPS = 150_000  # about a second
AFTER_PARSING = (
    20_000  # steps from where the command line was read: another branch may read it, too
)
MAX_DEPTH = 25  # calls within calls

_WRAPPERS = ("staticmethod", "classmethod", "property", "cached_property")


class Interpreter:
    """Implements ``Machine`` over the given files."""

    def __init__(self, files: SourceFiles, entry: str) -> None:
        self.files = files
        self.entry = entry
        self.parsers: list[Parser] = []
        self.commands: list[ClickCommand] = []
        self.foreign: list[str] = []
        self.entered: set[int] = set()  # ids of function nodes that were gone through
        self._modules: dict[str, Module] = {}
        self._fields: dict[int, list[Field]] = {}
        self._steps = 0
        self._limit = MAX_STEPS
        self._depth = 0

    # --- steps ------------------------------------------------------------------------------

    def step(self) -> None:
        self._steps += 1
        if self._steps > self._limit:
            raise OutOfSteps
        due = self._steps % 1_000 == 0 and self._limit == MAX_STEPS
        if due and any(p.strict for p in self.parsers):
            self._limit = min(MAX_STEPS - 1, self._steps + AFTER_PARSING)

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        return expressions.evaluate(self, node, scope)

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        statements.bind(self, target, value, scope)

    def call(self, function: Value, arguments: Arguments) -> Value:
        return calls.call(self, function, arguments)

    # --- modules ----------------------------------------------------------------------------

    def module(self, path: str, name: str) -> Module:
        """A given file as a module, gone through once. Raises Unreadable for the entry only."""
        if path in self._modules:
            return self._modules[path]
        parts = name.split(".")
        package = parts if path.endswith("/__init__.py") else parts[:-1]
        scope = Scope(file=path, package=".".join(package))
        scope.names["__name__"] = "__main__" if path == self.entry else name
        found = self._modules[path] = Module(name, scope)
        try:
            tree = self.files.tree(path)
        except Unreadable:
            if path == self.entry:
                raise
            return found
        scope.text_types = _has_future_annotations(tree)
        statements.execute(self, tree.body, scope)
        return found

    def _load(self, dotted: str, importer: str) -> Value:
        path = self.files.resolve(dotted, importer)
        if path is None:
            return imported(dotted)
        try:
            self.files.tree(path)
        except Unreadable:
            return External(dotted)
        return self.module(path, dotted)

    def import_names(self, node: ast.Import, scope: Scope) -> str:
        for alias in node.names:
            loaded = self._load(alias.name, scope.file)
            top = alias.name.split(".")[0]
            if alias.asname or "." not in alias.name:
                scope.set(alias.asname or alias.name, loaded)
            elif not isinstance(loaded, Module):
                scope.set(top, External(top))
            else:
                scope.set(top, _nested(alias.name.split("."), loaded, scope))
        return ""

    def import_from(self, node: ast.ImportFrom, scope: Scope) -> str:
        dotted = _absolute(node, scope)
        source = self._load(dotted, scope.file)
        for alias in node.names:
            if alias.name == "*":
                if isinstance(source, Module):
                    names = source.scope.names.items()
                    scope.names.update({k: v for k, v in names if not k.startswith("_")})
                continue
            value = attribute(source, alias.name)
            if value is UNKNOWN or isinstance(value, External):
                part = self.files.resolve(f"{dotted}.{alias.name}", scope.file)
                if part is not None and part != scope.file:
                    value = self.module(part, f"{dotted}.{alias.name}")
            scope.set(alias.asname or alias.name, value)
        return ""

    # --- functions and classes --------------------------------------------------------------

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> str:
        value: Value = Function(node, scope, self._defaults(node.args, scope))
        for decorator in reversed(node.decorator_list):
            if isinstance(decorator, ast.Name) and decorator.id in _WRAPPERS:
                value.kind = decorator.id.removeprefix("cached_")
                continue
            made = self.call(self.evaluate(decorator, scope), Arguments([value]))
            # A decorator that is not given is taken to keep the function as it is.
            value = made if isinstance(made, (Function, ClickCommand)) else value
        scope.set(node.name, value)
        return ""

    def _defaults(self, parameters: ast.arguments, scope: Scope) -> dict[str, Value]:
        names = [*parameters.posonlyargs, *parameters.args]
        first = len(names) - len(parameters.defaults)
        found = {
            names[first + i].arg: self.evaluate(d, scope) for i, d in enumerate(parameters.defaults)
        }
        for name, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
            if default is not None:
                found[name.arg] = self.evaluate(default, scope)
        return found

    def define_class(self, node: ast.ClassDef, scope: Scope) -> str:
        bases = tuple(self.evaluate(b, scope) for b in node.bases)
        inner = Scope(
            parent=scope,
            file=scope.file,
            package=scope.package,
            text_types=scope.text_types,
            is_class=True,
        )
        self._fields[id(inner)] = []
        made = Class(node.name, inner, bases, decorators=tuple(map(_last, node.decorator_list)))
        statements.execute(self, node.body, inner)
        made.own_fields = tuple(self._fields.pop(id(inner)))
        for value in inner.names.values():
            if isinstance(value, Function):
                value.of_class = made
        scope.set(node.name, made)
        return ""

    def fields_of(self, scope: Scope) -> list[Field]:
        return self._fields[id(scope)]

    def enter(self, function: Function, arguments: Arguments) -> Value:
        """Goes through a function's body; gives what it returns, as far as that is known."""
        node = function.node
        self.entered.add(id(node))
        if self._depth >= MAX_DEPTH:
            return UNKNOWN
        outer = function.scope
        scope = Scope({}, outer, outer.file, outer.package, outer.text_types)
        self._parameters(function, arguments, scope)
        self._depth += 1
        try:
            if isinstance(node, ast.Lambda):
                return self.evaluate(node.body, scope)
            statements.execute(self, node.body, scope)
        finally:
            self._depth -= 1
        return join(scope.returns) if scope.returns else None

    def _parameters(self, function: Function, arguments: Arguments, scope: Scope) -> None:
        parameters = function.node.args
        names = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
        values = list(arguments.positional)
        if function.owner is not None:
            values.insert(0, function.owner)
            if function.of_class is not None and isinstance(function.owner, (Instance, Parser)):
                scope.names["__super__"] = Super(function.owner, function.of_class)
        for name in (*names, *(p.arg for p in parameters.kwonlyargs)):
            hidden = arguments.open_keywords or (name in names and arguments.open_positional)
            default: Any = UNKNOWN if hidden else function.defaults.get(name, UNKNOWN)
            scope.names[name] = arguments.keywords.get(name, default)
        scope.names.update(zip(names, values, strict=False))
        if parameters.vararg is not None:
            rest: Value = tuple(values[len(names) :])
            scope.names[parameters.vararg.arg] = UNKNOWN if arguments.open_positional else rest
        if parameters.kwarg is not None:
            extra = {k: v for k, v in arguments.keywords.items() if k not in scope.names}
            scope.names[parameters.kwarg.arg] = UNKNOWN if arguments.open_keywords else extra


def _last(decorator: ast.expr) -> str:
    """The last name of ``@dataclasses.dataclass(frozen=True)``."""
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(named, ast.Attribute):
        return named.attr
    return named.id if isinstance(named, ast.Name) else ""


def _has_future_annotations(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )


def _absolute(node: ast.ImportFrom, scope: Scope) -> str:
    """The dotted name of what ``from …`` names; relative ones from the module's package."""
    if not node.level:
        return node.module or ""
    package = scope.package.split(".") if scope.package else []
    base = package[: len(package) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])


def _nested(parts: list[str], module: Module, scope: Scope) -> Module:
    """``import a.b`` binds ``a``, with ``b`` as its attribute."""
    top = scope.names.get(parts[0])
    outer = top if isinstance(top, Module) else Module(parts[0], Scope(file=module.scope.file))
    inner = outer
    for part in parts[1:-1]:
        child = inner.scope.names.get(part)
        child = child if isinstance(child, Module) else Module(part, Scope())
        inner.scope.names[part] = child
        inner = child
    inner.scope.names[parts[-1]] = module
    return outer
