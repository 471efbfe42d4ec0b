"""An advantage that weighs the chance of an answer: whether it grows with the reward, or falls."""

from __future__ import annotations

import ast

from medic.text.patterns import regex

from .code import Code, dotted, last
from .flow import held, owner

_ADVANTAGE = regex(r"(?i)^(?:a|adv|advs|advantages?|gae)$")
_CHANCE = regex(r"(?i)^(?:lp|logp|logps|log_probs?|logprobs?|new_logp\w*|ratio|ratios|r_t)$")
_REWARDS = regex(r"(?i)^(?:r|g|rew|rewards?|returns?|scores?|ret|q_?values?)$")
_SAME = frozenset("mean sum clamp clip item squeeze float flatten view reshape detach".split())  # noqa: SIM905
_DEPTH = 6


def averaged(node: ast.AST) -> ast.AST | None:
    """What a mean, or a change of form, is taken of."""
    return owner(node) if isinstance(node, ast.Call) and last(node.func) in _SAME else None


def stripped(node: ast.AST) -> ast.AST:
    while (inner := averaged(node)) is not None:
        node = inner
    return node


def slope(code: Code, node: ast.AST) -> int:
    """Whether ``(logp * adv)`` and the clipped ``min(ratio * adv, ...)`` grow (+1) or fall (-1) with
    the reward; 0 where that is not known."""
    node = stripped(node)
    if isinstance(node, ast.Call) and last(node.func) in ("min", "minimum") and len(node.args) == 2:
        both = {slope(code, one) for one in node.args}
        return both.pop() if len(both) == 1 else 0
    if isinstance(node, ast.Name):
        found = held(code, node.id, node)
        return 0 if found is None or found.element is not None else slope(code, found.value)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return 0
    sides = [(node.left, node.right), (node.right, node.left)]
    return next((s for a, b in sides if _chances(a) and (s := _of_reward(code, b, _DEPTH))), 0)


def _chances(node: ast.AST) -> bool:
    """Whether a factor is a log probability, or a ratio of probabilities, or made of one."""
    names = [last(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
    return any(_CHANCE.match(name) for name in names)


def _of_reward(code: Code, node: ast.AST, depth: int) -> int:
    """Whether an advantage is the reward, less something, over something (+1), or its mean less the
    reward (-1)."""
    node = stripped(node)
    if isinstance(node, ast.Subscript):
        return _of_reward(code, node.value, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _mean_less(node):
        return -1
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Div)):
        return _of_reward(code, node.left, depth)
    if isinstance(node, ast.Name) and depth:
        if _REWARDS.match(node.id):
            return 1
        found = held(code, node.id, node) if _ADVANTAGE.match(node.id) else None
        known = found is not None and found.element is None
        return _of_reward(code, found.value, depth - 1) if found is not None and known else 0
    return 0


def _mean_less(node: ast.BinOp) -> bool:
    """``r.mean() - r``: the mean of the same rewards that are taken from it."""
    name, call = dotted(node.right), node.left
    if not isinstance(call, ast.Call) or last(call.func) != "mean":
        return False
    return bool(_REWARDS.match(name)) and dotted(owner(call)) == name
