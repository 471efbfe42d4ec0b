"""Which values the names of a module have where an expression stands, and where they come from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.syntax.python_reader import Reader
from medic.syntax.python_values import Known, Names, Result, Unknown, dotted

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def last(node: ast.expr) -> str:
    """The last step of a name or an attribute of anything: ``step`` of ``(a or b).step``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


class Scopes:
    """Names of a module and of its functions. ``imported``: the modules that it imports from."""

    def __init__(self, reader: Reader, module: ast.Module) -> None:
        self.reader, self.module = reader, module
        self.above: dict[ast.AST, ast.AST] = {}
        self.imports: dict[str, str] = {}
        self.imported: set[str] = set()
        self._locals: dict[ast.AST, Names] = {}
        for node in ast.walk(module):
            self._import(node)
            for inner in ast.iter_child_nodes(node):
                self.above[inner] = node

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for one in node.names:
                self.imported.add(one.name)
                root = one.name.partition(".")[0]
                self.imports[one.asname or root] = one.name if one.asname else root
        elif isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            self.imported.add(home)
            for one in node.names:
                self.imports[one.asname or one.name] = f"{home}.{one.name}"

    def origin(self, node: ast.expr) -> str:
        """The full name of what a name means by the module's imports; its own name of no import."""
        name = dotted(node)
        first, _, rest = name.partition(".")
        home = self.imports.get(first, first)
        return f"{home}.{rest}" if rest else home

    def value(self, node: ast.expr) -> Result:
        return self.reader.value(node, self._around(node))

    def bound_to(self, node: ast.expr) -> str:
        """The names that a value is bound to; empty of one that is not."""
        statement = self.above.get(node)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        return " ".join(last(target) for target in targets)

    def may_not_run(self, node: ast.AST) -> bool:
        """Whether it stands behind a condition that is not known to hold, or in a function's body that
        only a condition reaches."""
        at: ast.AST | None = node
        while at is not None:
            up = self.above.get(at)
            if isinstance(up, ast.If) and at is not up.test:
                test = self.value(up.test)
                if not isinstance(test, Known) or bool(test.value) != (at in up.body):
                    return True
            if isinstance(up, (ast.IfExp, ast.Try, ast.ExceptHandler)) and at is not up:
                return True
            at = up
        return False

    def never_runs(self, node: ast.AST) -> bool:
        """Whether it stands behind a condition that is known not to hold."""
        at: ast.AST | None = node
        while at is not None:
            up = self.above.get(at)
            if isinstance(up, ast.If) and at is not up.test:
                test = self.value(up.test)
                if isinstance(test, Known) and bool(test.value) != (at in up.body):
                    return True
            at = up
        return False

    def constants(self) -> Iterator[tuple[str, Result]]:
        """Names of the module, and of its functions, that are bound once."""
        yield from self.reader.names.items()
        for node in ast.walk(self.module):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from self._of(node).items()

    def _around(self, node: ast.AST) -> Names:
        """The names of the functions that it stands in, the innermost first."""
        found: Names = {}
        at: ast.AST | None = node
        while at is not None:
            if isinstance(at, _FUNCTIONS):
                found = {**self._of(at), **found}
            at = self.above.get(at)
        return found

    def _of(self, function: ast.AST) -> Names:
        """What a function binds: known where it does once, to what is known."""
        if function in self._locals:
            return self._locals[function]
        names: Names = {}
        self._locals[function] = names  # a name that is bound by itself ends here
        arguments = function.args if isinstance(function, _FUNCTIONS) else None
        for one in (
            (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if arguments else ()
        ):
            names[one.arg] = Unknown(ast.copy_location(ast.Name(one.arg, ast.Load()), one))
        bound: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.setdefault(node.id, []).append(self._assigned(node))
        for name, values in bound.items():
            (value, *more) = values
            sure = value is not None and not more and name not in names
            place = value if value is not None else ast.Name(name, ast.Load())
            names[name] = self.reader.value(value, names) if sure and value else Unknown(place)
        return names

    def _assigned(self, target: ast.Name) -> ast.expr | None:
        """What a name is bound to; None where a loop, or a condition, does it."""
        statement = self.above.get(target)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return None
        holder = self.above.get(statement)
        return statement.value if isinstance(holder, (*_FUNCTIONS, ast.With, ast.Module)) else None
