"""A reward that pays for every further character, token or step of an answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .code import Code, Fault, dotted
from .flow import own_nodes

PAID = "length-bias-of-the-loss"
_NAMED = regex(r"(?i)reward|^score|_score")
_PAYS = Text(
    "{term} is added to what {function} returns: a longer answer always earns more, whatever it says",
    "{function} 的返回值里加了 {term}：回答越长得分越高，与内容无关",
)


def paid_length(code: Code) -> Iterator[Fault]:
    """``return right + 0.1 * len(answer)``: a sum, in which a length has a factor above zero and no
    bound around it."""
    for name, function in code.functions.items():
        if not _NAMED.search(name):
            continue
        for node in own_nodes(function):
            if isinstance(node, ast.Return) and node.value is not None:
                for term in _added(node.value):
                    if _is_length(term):
                        values = {"term": ast.unparse(term), "function": name}
                        yield Fault(PAID, _PAYS.fill(values), term)
                        return


def _added(node: ast.AST) -> Iterator[ast.AST]:
    """The terms of a sum that are added; none where there is but one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _added(node.left)
        if isinstance(node.op, ast.Add):
            yield from _added(node.right)
    else:
        yield node


def _is_length(term: ast.AST) -> bool:
    """``0.1 * len(answer)``, ``len(answer.split()) / 50``: of a positive number."""
    if not isinstance(term, ast.BinOp) or not isinstance(term.op, (ast.Mult, ast.Div)):
        return False
    sides = (term.left, term.right) if isinstance(term.op, ast.Mult) else (term.left,)
    length = next((s for s in sides if isinstance(s, ast.Call) and dotted(s.func) == "len"), None)
    other = term.right if length is term.left else term.left
    positive = isinstance(other, ast.Constant) and type(other.value) in (int, float)
    return length is not None and positive and float(getattr(other, "value", 0)) > 0
