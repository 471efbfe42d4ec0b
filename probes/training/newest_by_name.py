"""Programs that take the last checkpoint of a list in the order of its names as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from ..named_steps import UNPADDED, is_stem
from .code import Code, Fault, dotted, last

OLDER = "older-checkpoint-resumed"
_WHAT = Text(
    "{call} compares the names as text, letter by letter: {stem}800 comes behind {stem}1200, and what "
    "it gives is not the newest; give it a key that is the number",
    "{call} 按文本逐字符比较文件名：{stem}800 排在 {stem}1200 之后，取到的并不是最新的；应以数字作为 key",
)
_LISTS = ("glob", "iglob", "listdir", "iterdir")
_STEM = regex(r"([\w.=-]*?[A-Za-z_=-])(?:\*|$)")


def newest_by_name(code: Code) -> Iterator[Fault]:
    for node in ast.walk(code.tree):
        taken = _last_of(code, node)
        if taken is None:
            continue
        stem = _stem(taken)
        if stem and (stem.endswith(UNPADDED) or stem in _written(code)):
            shown = "max(…)" if isinstance(node, ast.Call) else "sorted(…)[-1]"
            yield Fault(OLDER, _WHAT.fill(call=shown, stem=stem), node)


def _last_of(code: Code, node: ast.AST) -> ast.expr | None:
    """The list of names of ``max(names)``, ``sorted(names)[-1]`` without a key."""
    if isinstance(node, ast.Call) and last(node.func) == "max" and isinstance(node.func, ast.Name):
        return _names(code, node.args[0]) if len(node.args) == 1 and not node.keywords else None
    if not isinstance(node, ast.Subscript) or ast.unparse(node.slice) != "-1":
        return None
    value: ast.AST | None = node.value
    if isinstance(value, ast.Name):
        value = _once(code, value.id)
    if isinstance(value, ast.Call) and last(value.func) == "sorted" and not value.keywords:
        return _names(code, value.args[0]) if len(value.args) == 1 else None
    return None


def _names(code: Code, node: ast.expr) -> ast.expr | None:
    """A call that lists files, or those of one by their names."""
    found: ast.AST | None = _once(code, node.id) if isinstance(node, ast.Name) else node
    if isinstance(found, (ast.ListComp, ast.GeneratorExp)):
        source, target = found.generators[0].iter, found.generators[0].target
        kept = isinstance(found.elt, ast.Name) and ast.dump(found.elt) == ast.dump(target).replace(
            "Store()", "Load()"
        )
        listed = _names(code, source) if kept and len(found.generators) == 1 else None
        return found if listed is not None else None
    if isinstance(found, ast.Call) and last(found.func) == "list" and len(found.args) == 1:
        return _names(code, found.args[0])
    return found if isinstance(found, ast.Call) and last(found.func) in _LISTS else None


def _once(code: Code, name: str) -> ast.AST | None:
    """What a name is given, where that happens once and nothing sorts it in place."""
    nodes = code.assigned.get(name, ())
    sorted_here = any(dotted(call.func) == f"{name}.sort" for call in code.calls)
    return nodes[0].value if len(nodes) == 1 and not sorted_here else None


def _stem(node: ast.expr) -> str:
    """What stands before the star, or what a condition of the list says that names begin with."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            found = _STEM.search(one.value.rpartition("/")[2])
            if found and is_stem(found[1]):
                return found[1]
    return ""


def _written(code: Code) -> set[str]:
    """Stems behind which the program writes a number without padding it."""
    stems: set[str] = set()
    for text in (n for n in ast.walk(code.tree) if isinstance(n, ast.JoinedStr)):
        for before, value in zip(text.values, text.values[1:], strict=False):
            is_number = isinstance(value, ast.FormattedValue) and value.format_spec is None
            if is_number and isinstance(before, ast.Constant):
                stems.add(str(before.value).rpartition("/")[2])
    return stems
