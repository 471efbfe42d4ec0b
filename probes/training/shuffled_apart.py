"""Inputs and labels that are shuffled each by an order of its own: the pairs are lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .code import Code, Fault, at, dotted, last
from .flow import held

APART = "inputs-and-labels-shuffled-apart"
_TWO_ORDERS = Text(
    "{first} and {second} are in two orders, each drawn by itself (lines {one} and {other}): a label "
    "no longer belongs to its input",
    "{first} 与 {second} 用了两次各自随机得到的顺序（第 {one} 行和第 {other} 行）：标签不再对应它的输入",
)
_DRAWS = frozenset(("randperm", "permutation"))
_INPUTS = regex(r"(?i)^(?:x|xs|inputs?(?:_ids)?|images?|features?|data|ids)(?:_tr(?:ain)?)?$")
_LABELS = regex(r"(?i)^(?:y|ys|targets?|labels?|tgts?)(?:_tr(?:ain)?)?$")
# Losses of a program that learns from pairs; without one the parts may be unpaired on purpose.
_PAIRED = ("cross_entropy", "CrossEntropyLoss", "mse_loss", "MSELoss", "nll_loss", "NLLLoss")
# Where a broken pair is what is asked for: a test, negatives, the product of the marginals.
_MEANT = regex(
    r"(?i)permutation.?(?:test|importance)|negative|contrast|marginal|mutual.?info|unpaired|baseline|"
    r"discriminator|mixup|cutmix|random.?label|shuffled.?label|corrupt"
)


def shuffled_apart(code: Code) -> Iterator[Fault]:
    """``yield x[i], y[k]`` with ``i`` and ``k`` of two calls of ``randperm``."""
    if _MEANT.search(code.text) or not any(word in code.text for word in _PAIRED):
        return
    for node in ast.walk(code.tree):
        value = node.value if isinstance(node, (ast.Return, ast.Yield)) else None
        if not isinstance(value, ast.Tuple) or len(value.elts) != 2:
            continue
        x, y = value.elts
        if not isinstance(x, ast.Subscript) or not isinstance(y, ast.Subscript):
            continue
        first, second = _order(code, x.slice, 4), _order(code, y.slice, 4)
        named = _INPUTS.match(dotted(x.value)) and _LABELS.match(dotted(y.value))
        if not named or first is None or second is None or first is second:
            continue
        if not _seeded_again(code, first, second):
            told = {"first": ast.unparse(x), "second": ast.unparse(y)}
            lines = {"one": at(first)[0], "other": at(second)[0]}
            yield Fault(APART, _TWO_ORDERS.fill({**told, **lines}), node)
            return


def _seeded_again(code: Code, first: ast.Call, second: ast.Call) -> bool:
    """Whether the draws are from different functions, or a seed that is set between them lets the
    second order be the first one again."""
    if code.function(first) is not code.function(second):
        return True
    one, other = sorted((at(first), at(second)))
    seeds = [c for c in code.calls if "seed" in last(c.func) or "set_rng_state" in last(c.func)]
    return any(one < at(call) < other for call in seeds)


def _order(code: Code, node: ast.AST, depth: int) -> ast.Call | None:
    """The draw that an index is a part of: ``k[i : i + n]`` with ``k = randperm(len(y))``, also in
    one arm of ``… if shuffle else arange(n)``; None for a draw under a seed of its own."""
    if isinstance(node, ast.Subscript):
        return _order(code, node.value, depth)
    if isinstance(node, ast.IfExp):
        return _order(code, node.body, depth) or _order(code, node.orelse, depth)
    if isinstance(node, ast.Call):
        seeded = any(word.arg in ("generator", None) for word in node.keywords)
        owner = dotted(node.func).rpartition(".")[0]
        plain = owner in ("torch", "np.random", "numpy.random", "random")
        return node if last(node.func) in _DRAWS and plain and not seeded else None
    found = held(code, node.id, node) if isinstance(node, ast.Name) and depth else None
    if found is None or found.element is not None:
        return None
    return _order(code, found.value, depth - 1)
