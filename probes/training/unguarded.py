"""Divisions by a spread that may be zero, and exponentials that pass what their numbers hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .code import Code, Fault, at, calls_in, dotted, last
from .flow import PASSES, held, owner

UNDEFINED = "function-undefined-at-zero"
_SPREAD = Text(
    "{division}: where all rewards of a group are equal the spread is 0, and 0 / 0 = NaN; nothing is "
    "added to it",
    "{division}：一组的奖励全相同时标准差为 0，0 / 0 = NaN；分母没有加任何小量",
)
_EXP = Text(
    "{exp} in fp16 (line {line}): e^x passes 65,504 from x = 11.1 on, and the softmax made of it is "
    "inf / inf; its maximum is not subtracted",
    "{exp} 以 fp16 计算（第 {line} 行）：x 超过 11.1 时 e^x 就大于 65504，用它算的 softmax 变成 inf / inf；"
    "没有先减去最大值",
)
# What a group's numbers, or what is made of them, are called where they are rewards.
_REWARDS = regex(r"(?i)(?:^|_|\b)(?:adv|advantages?|rew|rews|rewards?|returns?)(?:$|_|\b)")
# What keeps the division from zero, or takes its NaN away again.
_GUARDS = ("nan_to_num", "isnan", "isfinite", "errstate")
_HALVES = frozenset(("float16", "half"))
_WIDE = frozenset(("float", "double"))
_GREATEST = ("max", "amax", "logsumexp")


def unguarded(code: Code) -> Iterator[Fault]:
    if "std(" in code.text and not any(word in code.text for word in _GUARDS):
        yield from _zero_spread(code)
    if "exp(" in code.text and any(word in code.text for word in _HALVES):
        yield from _exp_in_half(code)


# --- (r - r.mean(1)) / r.std(1) ---------------------------------------------------------------


def _zero_spread(code: Code) -> Iterator[Fault]:
    """Rewards, less their mean, over their standard deviation along a dimension, bare."""
    for node in sorted((n for n in ast.walk(code.tree) if isinstance(n, ast.BinOp)), key=at):
        if not isinstance(node.op, ast.Div):
            continue
        spread = _value(code, node.right)
        subject = _spread_of(spread)
        if not subject or not _centred(code, node.left, subject):
            continue
        if _are_rewards(code, node, subject) and not _checked(code, node):
            yield Fault(UNDEFINED, _SPREAD.fill(division=ast.unparse(node)), node)
            return


def _value(code: Code, node: ast.AST) -> ast.AST | None:
    """What stands there; of a name, what it was last set to."""
    if not isinstance(node, ast.Name):
        return node
    found = held(code, node.id, node)
    return found.value if found is not None and found.element is None else None


def _spread_of(node: ast.AST | None) -> str:
    """``g`` of ``g.std(1, keepdim=True)``, of a group: along a dimension."""
    while isinstance(node, ast.Subscript) or (
        isinstance(node, ast.Call) and last(node.func) in (*PASSES, "repeat_interleave", "expand")
    ):
        node = node.value if isinstance(node, ast.Subscript) else owner(node)
    if not isinstance(node, ast.Call) or last(node.func) not in ("std", "nanstd"):
        return ""
    of = owner(node)
    method = isinstance(node.func, ast.Attribute) and of is node.func.value
    along = node.args if method else node.args[1:]
    named = any(word.arg in ("dim", "axis") for word in node.keywords)
    return dotted(of) if along or named else ""


def _centred(code: Code, node: ast.AST, subject: str) -> bool:
    """Whether a numerator is ``g - g.mean(..)``: zero where the spread is."""
    value = _value(code, node)
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Sub):
        return False
    means = [_value(code, value.right)]
    of = [
        dotted(owner(call))
        for mean in means
        if mean is not None
        for call in calls_in(mean)
        if last(call.func) == "mean"
    ]
    return dotted(value.left) == subject and subject in of


def _are_rewards(code: Code, node: ast.AST, subject: str) -> bool:
    """Whether the names around a division say that it makes advantages of rewards."""
    names = [subject]
    for one in code.around(node):
        if isinstance(one, ast.Assign):
            names.extend(dotted(target) for target in one.targets)
    own = code.function(node)
    names.append(getattr(own, "name", ""))
    return any(_REWARDS.search(name) for name in names)


def _checked(code: Code, node: ast.AST) -> bool:
    """Whether a condition, or a choice between two values, stands around a division."""
    for one in code.around(node):
        choice = isinstance(one, ast.Call) and last(one.func) in ("where", "masked_fill", "clamp")
        if choice or isinstance(one, (ast.If, ast.IfExp)):
            return True
    return False


# --- e = x.half().exp() -----------------------------------------------------------------------


def _exp_in_half(code: Code) -> Iterator[Fault]:
    """``e = x.exp()`` of an ``x`` made fp16 here, divided by its sum or summed under a logarithm."""
    for name, nodes in code.assigned.items():
        value = nodes[0].value
        if "." in name or len(nodes) != 1 or not isinstance(value, ast.Call):
            continue
        inner = owner(value) if last(value.func) == "exp" else None
        half = _half(code, inner) if inner is not None else None
        if half is not None and _is_normalised(code, name, value):
            values = {"exp": ast.unparse(value), "line": getattr(half, "lineno", 0)}
            yield Fault(UNDEFINED, _EXP.fill(values), value)
            return


def _half(code: Code, node: ast.AST, depth: int = 3) -> ast.AST | None:
    """The cast to fp16 that an operand ends in; None for one that lost its maximum, or is wide."""
    if isinstance(node, ast.Name) and depth:
        found = held(code, node.id, node)
        whole = found is not None and found.element is None
        return _half(code, found.value, depth - 1) if found is not None and whole else None
    if not isinstance(node, ast.Call):
        return None
    name = last(node.func)
    casts = [last(one) for one in (*node.args, *(w.value for w in node.keywords))]
    if name == "half" or (name == "to" and _HALVES & set(casts)):
        greatest = any(last(call.func) in _GREATEST for call in calls_in(node))
        return None if greatest else node
    if name in _WIDE or name not in PASSES:
        return None
    inner = owner(node)
    return _half(code, inner, depth) if inner is not None else None


def _is_normalised(code: Code, name: str, exp: ast.Call) -> bool:
    """Whether the sum of the exponentials divides, or is taken the logarithm of."""
    own = code.function(exp)
    for node in ast.walk(own):
        if not isinstance(node, ast.Call) or last(node.func) != "sum" or at(node) < at(exp):
            continue
        if dotted(owner(node)) != name:
            continue
        above = code.parents.get(node)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and above.right is node:
            return True
        if isinstance(above, ast.Attribute) and above.attr == "log":
            return True
    return False
