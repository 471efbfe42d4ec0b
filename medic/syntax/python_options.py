"""The options of a program and their defaults: argparse's, and those of dataclasses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.syntax.python_values import Known, Names, Unknown, dotted, literal

_FLAGS = {"store_true": False, "store_false": True}


def options_of(module: ast.Module) -> Names:
    """Defaults by the attribute that the program reads them from (``args.batch_size``). Unknown where two
    of one name differ, as of an option that has none."""
    found: Names = {}
    for name, default in _stated(module):
        value = default if isinstance(default, Known) else literal(default)
        before = found.get(name)
        if before is not None and not _same(before, value):
            value = Unknown(value.node)
        found[name] = value
    return found


def _same(one: object, other: object) -> bool:
    return isinstance(one, Known) and isinstance(other, Known) and one.value == other.value


def _stated(module: ast.Module) -> Iterator[tuple[str, ast.expr | Known]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and dotted(node.func).endswith(".add_argument"):
            yield from _argument(node)
        elif isinstance(node, ast.ClassDef) and any(map(_is_dataclass, node.decorator_list)):
            yield from _fields(node)


def _argument(call: ast.Call) -> Iterator[tuple[str, ast.expr | Known]]:
    """argparse names an option by its first long form (``dest`` aside)."""
    given = {k.arg: k.value for k in call.keywords if k.arg}
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    long = [name for name in names if name.startswith("--")] or names
    dest = given.get("dest")
    name = dest.value if isinstance(dest, ast.Constant) else long[0] if long else ""
    key = str(name).lstrip("-").replace("-", "_")
    action = given.get("action")
    flag = _FLAGS.get(str(action.value)) if isinstance(action, ast.Constant) else None
    if "default" in given:
        yield key, given["default"]
    elif flag is not None and action is not None:
        yield key, Known(flag, action)


def _is_dataclass(decorator: ast.expr) -> bool:
    name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return name.rpartition(".")[2] == "dataclass"


def _fields(made: ast.ClassDef) -> Iterator[tuple[str, ast.expr | Known]]:
    for one in made.body:
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        default = one.value
        if isinstance(default, ast.Call):  # field(default=…)
            default = next((k.value for k in default.keywords if k.arg == "default"), None)
        if default is not None:
            yield one.target.id, default
