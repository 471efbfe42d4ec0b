"""What a name of a program holds at one place, read back through its own function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.records import dataclass

from .code import Code, at, dotted, last

# What passes a tensor on, with its graph and its meaning.
PASSES = frozenset(
    """
    float to cpu cuda half bfloat16 double view reshape flatten contiguous transpose permute squeeze
    unsqueeze clone type type_as
    """.split()  # noqa: SIM905
)
_BINDS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.withitem, ast.NamedExpr)
_MODULES = ("torch", "F", "nn.functional", "torch.nn.functional", "functional")


@dataclass(frozen=True)
class Held:
    """A value, and which of its elements (``a, b = f()``); None for the whole."""

    value: ast.AST
    element: int | None = None


def held(code: Code, name: str, place: ast.AST) -> Held | None:
    """What ``name`` was last set to before ``place``; None where a branch or a later round of a loop
    may have set it otherwise, and for what a function is given."""
    function = code.function(place)
    bound = list(_bound(code, name, function))
    before = [one for one in bound if at(one) < at(place) and not _holds(code, one, place)]
    if not before:
        outside = list(_bound(code, name, code.tree)) if function is not code.tree else []
        given = isinstance(function, ast.FunctionDef) and name in _arguments(function)
        return None if bound or given or len(outside) != 1 else _of(outside[0], name)
    node = max(before, key=at)
    around = set(code.around(place))
    for one in code.around(node):
        if isinstance(one, (ast.If, ast.Try, ast.For, ast.While)) and one not in around:
            return None
        if isinstance(one, ast.If) and _branch(code, one, node) != _branch(code, one, place):
            return None
    inner = {one for one in around if isinstance(one, (ast.For, ast.While))}
    for one in bound:
        later = one not in before or _holds(code, one, place)
        if later and inner & (set(code.around(one)) - set(code.around(node))):
            return None
    return _of(node, name)


def _branch(code: Code, test: ast.If, node: ast.AST) -> bool:
    """Whether a node stands in the branch of a condition that holds."""
    return any(one in test.body for one in (node, *code.above(node)))


def _bound(code: Code, name: str, function: ast.AST) -> Iterator[ast.AST]:
    """Where a function, or the module, sets a name."""
    for node in ast.walk(function):
        if isinstance(node, _BINDS) and code.function(_placed(code, node)) is function:
            targets = node.targets if isinstance(node, ast.Assign) else [_target(node)]
            if any(name in _names(target) for target in targets if target is not None):
                yield _placed(code, node)


def _placed(code: Code, node: ast.AST) -> ast.AST:
    """A node that has a line: ``with open() as f`` for its item."""
    return code.parents[node] if isinstance(node, ast.withitem) else node


def _target(node: ast.AST) -> ast.AST | None:
    return getattr(node, "target", None) or getattr(node, "optional_vars", None)


def _names(target: ast.AST) -> set[str]:
    """The names that a target sets; of ``x[0] = 1`` the one that it changes."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return {name for one in target.elts for name in _names(one)}
    return {dotted(target.value if isinstance(target, (ast.Starred, ast.Subscript)) else target)}


def _holds(code: Code, node: ast.AST, place: ast.AST) -> bool:
    """Whether a place stands in the value of the assignment itself."""
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and node in list(code.above(place))


def _arguments(function: ast.FunctionDef) -> set[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {one.arg for one in every if one is not None}


def _of(node: ast.AST, name: str) -> Held | None:
    if isinstance(node, ast.AnnAssign):
        return Held(node.value) if node.value is not None else None
    if not isinstance(node, ast.Assign):
        return None
    for target in node.targets:
        if dotted(target) == name:
            return Held(node.value)
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [dotted(one) for one in target.elts]
            if name in names and not any(isinstance(one, ast.Starred) for one in target.elts):
                return _element(node.value, names.index(name), len(names))
    return None


def _element(value: ast.AST, index: int, count: int) -> Held:
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
        return Held(value.elts[index])
    return Held(value, index)


def owner(call: ast.Call) -> ast.AST | None:
    """The tensor that a method is called on, or that the function of torch is given first:
    ``x`` of ``x.softmax(-1)`` and of ``F.softmax(x, -1)``."""
    if isinstance(call.func, ast.Attribute) and dotted(call.func.value) not in _MODULES:
        return call.func.value
    if call.args:
        return call.args[0]
    return next((w.value for w in call.keywords if w.arg == "input"), None)


def returned(function: ast.AST, element: int | None = None) -> list[ast.AST]:
    """What a function returns, one for each ``return``; the element of a tuple where one is asked
    for. Empty where one of them cannot be told."""
    found: list[ast.AST] = []
    for node in own_nodes(function):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        value: ast.AST = node.value
        if element is not None:
            if not isinstance(value, ast.Tuple) or element >= len(value.elts):
                return []
            value = value.elts[element]
        elif isinstance(value, ast.Tuple):
            return []
        found.append(value)
    return found


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions within."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from own_nodes(child)


def forward_of(code: Code, name: str) -> ast.FunctionDef | None:
    """The ``forward`` of the one class of this module that a name of a model is made of:
    ``model = DDP(Net(cfg).to(device))``."""
    classes = {n.name: n for n in ast.walk(code.tree) if isinstance(n, ast.ClassDef)}
    made = {
        last(call.func)
        for node in code.assigned.get(name, ())
        for call in ast.walk(node.value)
        if isinstance(call, ast.Call) and last(call.func) in classes
    }
    if len(made) != 1:
        return None
    body = classes[made.pop()].body
    return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == "forward"), None)


_OFF = ("no_grad", "inference_mode")


def switched_off(code: Code, node: ast.AST) -> ast.With | None:
    """The ``with torch.no_grad():`` around a node in its own function."""
    for one in code.around(node):
        if isinstance(one, ast.With) and any(_off(item.context_expr) for item in one.items):
            return one
        if isinstance(one, ast.With) and "enable_grad" in ast.unparse(one.items[0]):
            return None
    return None


def without_gradients(code: Code, node: ast.AST) -> bool:
    """Whether a node runs without a graph, by what is around it or by its function's decorator."""
    marks = getattr(code.function(node), "decorator_list", ())
    return any(_off(one) for one in marks) or switched_off(code, node) is not None


def _off(node: ast.AST) -> bool:
    return last(node.func if isinstance(node, ast.Call) else node) in _OFF
