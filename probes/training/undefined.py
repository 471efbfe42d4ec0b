"""0 * log(0): probabilities of hidden entries, times their logarithm."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, calls_in, dotted, last

UNDEFINED = "function-undefined-at-zero"
_ZERO_LOG = Text(
    "{product} is 0 * -inf = NaN where {logits} was set to -inf (line {line}): its probability is 0",
    "{product} 在 {logits} 被置为 -inf 之处（第 {line} 行）等于 0 * -inf = NaN：那里的概率为 0",
)
_FILLS = frozenset(("masked_fill", "masked_fill_", "where", "index_fill", "index_fill_"))
# What takes the NaN away again, or never sees the hidden entries.
_HEALS = frozenset(("where", "masked_fill", "masked_select"))
_NOTHING = frozenset(("float", "to", "contiguous", "clone", "double", "view", "reshape"))
_ENDLESS = ("inf", "-inf", "infinity", "-infinity")


def undefined(code: Code) -> Iterator[Fault]:
    """In one function: logits set to -inf, their softmax p, and ``p * p.log()``."""
    if any(word in code.text for word in ("nan_to_num", "nansum")):
        return
    for name, nodes in code.assigned.items():
        for node in nodes if "." not in name else ():
            logits = _softmax_of(node.value)
            hidden = _hidden_before(code, logits, node) if logits else None
            product = _product(code, name, node) if hidden is not None else None
            if hidden is not None and product is not None:
                values = {"product": ast.unparse(product), "logits": logits}
                line = getattr(hidden, "lineno", 0)
                yield Fault(UNDEFINED, _ZERO_LOG.fill({**values, "line": line}), product)
                return


def _softmax_of(value: ast.AST) -> str:
    """The name whose softmax a value is."""
    if not isinstance(value, ast.Call) or last(value.func) != "softmax":
        return ""
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    if dotted(owner) in ("", "torch", "F", "nn.functional", "torch.nn.functional"):
        owner = (
            value.args[0] if value.args and isinstance(owner, (ast.Name, ast.Attribute)) else owner
        )
    while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
        if owner.func.attr not in _NOTHING:
            return ""
        owner = owner.func.value
    return dotted(owner)


def _hidden_before(code: Code, logits: str, softmax: ast.Assign) -> ast.AST | None:
    """The last statement before that sets the logits, if it sets some of them to -inf."""
    function = code.function(softmax)
    final: ast.AST | None = None
    for node in ast.walk(function):
        if not at(node) < at(softmax) or not isinstance(node, (ast.Assign, ast.Expr)):
            continue
        if code.function(node) is function and _sets(node, logits):
            final = node if final is None or at(node) > at(final) else final
    return final if final is not None and _hides(final) else None


def _sets(node: ast.Assign | ast.Expr, name: str) -> bool:
    if isinstance(node, ast.Expr):
        called = node.value.func if isinstance(node.value, ast.Call) else None
        return dotted(called).startswith(f"{name}.") and last(called).endswith("_")
    targets = [t.value if isinstance(t, ast.Subscript) else t for t in node.targets]
    return name in {dotted(one) for one in targets}


def _hides(node: ast.AST) -> bool:
    """``x[...] = -inf``, and ``masked_fill`` or ``where`` with it."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return _is_endless(node.value)
    for call in calls_in(node):
        given = [*call.args, *(word.value for word in call.keywords)]
        if last(call.func) in _FILLS and any(_is_endless(one) for one in given):
            return True
    return False


def _is_endless(node: ast.AST) -> bool:
    minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(inner, ast.Call) and dotted(inner.func) == "float" and len(inner.args) == 1:
        text = ast.unparse(inner.args[0]).strip("'\"").lower()
        return text in _ENDLESS and (minus or text.startswith("-"))
    return minus and isinstance(inner, ast.Attribute) and inner.attr == "inf"


def _product(code: Code, name: str, softmax: ast.Assign) -> ast.AST | None:
    """``p * p.log()`` behind, with nothing around it that heals it."""
    function = code.function(softmax)
    for node in ast.walk(function):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            continue
        sides = (node.left, node.right)
        plain = any(dotted(one) == name for one in sides)
        logs = any(_logs(call, name) for one in sides for call in _calls_outside(one))
        if plain and logs and at(node) > at(softmax) and not _healed(code, node):
            again = [n for n in code.assigned[name] if at(softmax) < at(n) < at(node)]
            return None if again else node
    return None


def _calls_outside(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of a sum or a difference: not those within another call."""
    if isinstance(node, ast.Call):
        yield node
    elif isinstance(node, ast.BinOp):
        yield from _calls_outside(node.left)
        yield from _calls_outside(node.right)


def _logs(call: ast.Call, name: str) -> bool:
    if dotted(call.func) == f"{name}.log":
        return True
    alone = len(call.args) == 1 and dotted(call.args[0]) == name
    return dotted(call.func) == "torch.log" and alone


def _healed(code: Code, node: ast.AST) -> bool:
    for one in code.around(node):
        if isinstance(one, ast.stmt):
            return any(last(call.func) in _HEALS for call in calls_in(one))
    return False
