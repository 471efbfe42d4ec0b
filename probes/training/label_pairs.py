"""Labels that the data set moves by one already, and the loss moves once more: over two files."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from medic.i18n import Text

from .code import Code, Fault, dotted, last
from .labels import SHIFTED, bare

_TWICE = Text(
    "{labels} is moved by one against {inputs} in __getitem__ already (line {line}), and this loss "
    "moves labels once more: it learns the token after the next",
    "__getitem__ 中 {labels} 相对 {inputs} 已错开一位（第 {line} 行），此处的 loss 又移了一次：学到的是下下个 token",
)
_LOGITS = frozenset((":, :-1", ":, :-1, :", "..., :-1, :", ":-1"))
_LABELS = frozenset((":, 1:", "..., 1:", "1:"))


def moved_twice(code: Code, trees: Sequence[ast.Module]) -> Iterator[Fault]:
    """The loss of a program whose samples, of the one data set class there is, are a pair one
    apart, and which drops the last logit and the first label again."""
    getters = [
        node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "__getitem__"
    ]
    pair = _pair(getters[0]) if len(getters) == 1 else None
    losses = [call for call in code.calls if last(call.func) == "cross_entropy" and _moves(call)]
    if pair is None or not losses:
        return
    inputs, labels, line = pair
    values = {"labels": ast.unparse(labels), "inputs": ast.unparse(inputs), "line": str(line)}
    yield Fault(SHIFTED, _TWICE.fill(values), losses[0])


def _pair(getter: ast.FunctionDef) -> tuple[ast.AST, ast.AST, int] | None:
    """``return x[:-1], y`` with ``y = x[1:]``."""
    gives = [n for n in ast.walk(getter) if isinstance(n, ast.Return)]
    if len(gives) != 1 or not isinstance(gives[0].value, ast.Tuple) or len(gives[0].value.elts) < 2:
        return None
    inputs, labels = (meant(getter, one) for one in gives[0].value.elts[:2])
    first, second = _part(inputs), _part(labels)
    if first is None or second is None or first[0] != second[0]:
        return None
    one_apart = (first[1], second[1]) == (":-1", "1:")
    return (inputs, labels, gives[0].lineno) if one_apart else None


def meant(getter: ast.FunctionDef, node: ast.AST) -> ast.AST:
    """What a name was given, if once."""
    node = bare(node)
    name = dotted(node)
    set_ = [
        n.value
        for n in ast.walk(getter)
        if isinstance(n, ast.Assign) and [dotted(t) for t in n.targets] == [name] and name
    ]
    return bare(set_[0]) if len(set_) == 1 and isinstance(node, ast.Name) else node


def _part(node: ast.AST) -> tuple[str, str] | None:
    """(tensor, part of it)."""
    if not isinstance(node, ast.Subscript):
        return None
    return ast.unparse(node.value), ast.unparse(node.slice)


def _moves(call: ast.Call) -> bool:
    """``cross_entropy(logits[:, :-1]…, labels[:, 1:]…)``."""
    words = {one.arg: one.value for one in call.keywords}
    given = (*call.args[:2], *(words[w] for w in ("input", "target") if w in words))
    if len(given) != 2:
        return False
    logits, labels = ({p[1].strip("()") for n in ast.walk(g) if (p := _part(n))} for g in given)
    return bool(logits & _LOGITS) and bool(labels & _LABELS)
