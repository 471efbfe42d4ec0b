"""A softmax over another dimension than the one that is summed, and targets on the wrong side."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, last
from .flow import PASSES, held, owner

SOFTMAX, VISIBLE = "softmax-over-wrong-dimension", "labels-visible-to-model"
_WEIGHTS = Text(
    "{softmax} normalises over another dimension than {product} (line {line}) sums over: the weights of "
    "one query do not sum to 1, and each position hears of all others",
    "{softmax} 归一化的维度不是 {product}（第 {line} 行）求和的维度：每个 query 的权重之和不为 1，"
    "各位置还会混入其他位置的信息",
)
_BATCH = Text(
    "{softmax} normalises over the samples of the batch, and {loss} takes it for the chances of classes",
    "{softmax} 是在 batch 的样本之间归一化，而 {loss} 把它当作各类别的概率",
)
_BEHIND = Text(
    "{logits} are compared with {labels}: each position has to tell the token before it, which it has seen",
    "{logits} 与 {labels} 比较：每个位置预测的是它前面、已经看到的 token",
)
_AHEAD = ("1:", ":, 1:", "..., 1:", "..., 1:, :", ":, 1:, :")
_PAST = (":-1", ":, :-1", "..., :-1")
_SOFTMAX = ("softmax", "log_softmax")


def dimensions(code: Code) -> Iterator[Fault]:
    if not any(last(call.func) == "backward" for call in code.calls):
        return
    yield from _of_attention(code)
    yield from _of_classes(code)
    yield from _backwards(code)


def _dimension(call: ast.Call) -> int | None:
    """The dimension of a softmax; None where it is no number."""
    method = isinstance(call.func, ast.Attribute) and owner(call) is call.func.value
    place = 0 if method else 1
    given = next((w.value for w in call.keywords if w.arg == "dim"), None)
    given = given or (call.args[place] if len(call.args) > place else None)
    try:
        value = ast.literal_eval(given) if given is not None else None
    except ValueError:
        return None
    return value if type(value) is int else None


def _of_attention(code: Code) -> Iterator[Fault]:
    """``w = scores.softmax(-2)`` and ``w @ v``: a product sums over the last dimension of its left
    side. Of scores with heads the second dimension is that of the heads."""
    for node in sorted((n for n in ast.walk(code.tree) if isinstance(n, ast.BinOp)), key=at):
        if not isinstance(node.op, ast.MatMult) or not isinstance(node.left, ast.Name):
            continue
        found = held(code, node.left.id, node.left)
        value = found.value if found is not None and found.element is None else None
        while isinstance(value, ast.Call) and last(value.func) in (
            *PASSES,
            "nan_to_num",
            "dropout",
        ):
            value = owner(value)
        if not isinstance(value, ast.Call) or last(value.func) != "softmax":
            continue
        over = _dimension(value)
        if over in (-2, 0) or (over == 1 and _has_heads(code, value)):
            values = {"softmax": ast.unparse(value), "product": ast.unparse(node)}
            yield Fault(SOFTMAX, _WEIGHTS.fill({**values, "line": node.lineno}), value)
            return


def _has_heads(code: Code, softmax: ast.Call) -> bool:
    """Whether the scores have four dimensions: of a function that splits into heads."""
    own = ast.unparse(code.function(softmax))
    return (
        "transpose(1, 2)" in own and ("heads" in own or ".h" in own) and "transpose(-2, -1)" in own
    )


def _of_classes(code: Code) -> Iterator[Fault]:
    """``log_softmax(x, dim=0)`` that a model returns, for an ``NLLLoss``."""
    loss = next((last(c.func) for c in code.calls if last(c.func) in ("NLLLoss", "nll_loss")), "")
    for node in ast.walk(code.tree) if loss else ():
        value = node.value if isinstance(node, ast.Return) else None
        if not isinstance(value, ast.Call) or last(value.func) not in _SOFTMAX:
            continue
        forward = getattr(code.function(value), "name", "") == "forward"
        if forward and _dimension(value) == 0:
            yield Fault(SOFTMAX, _BATCH.fill(softmax=ast.unparse(value), loss=loss), value)
            return


def _backwards(code: Code) -> Iterator[Fault]:
    """``cross_entropy(logits[:, 1:], ids[:, :-1])`` of the same tokens."""
    for call in sorted(code.calls, key=at):
        if last(call.func) not in ("cross_entropy", "nll_loss") or len(call.args) < 2:
            continue
        logits, labels = (_bare(one) for one in call.args[:2])
        if not isinstance(logits, ast.Subscript) or not isinstance(labels, ast.Subscript):
            continue
        parts = [ast.unparse(one.slice).strip("()") for one in (logits, labels)]
        if parts[0] in _AHEAD and parts[1] in _PAST and isinstance(labels.value, ast.Name):
            values = {"logits": ast.unparse(logits), "labels": ast.unparse(labels)}
            yield Fault(VISIBLE, _BEHIND.fill(values), call)
            return


def _bare(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Call) and last(node.func) in PASSES:
        inner = owner(node)
        if inner is None:
            break
        node = inner
    return node
