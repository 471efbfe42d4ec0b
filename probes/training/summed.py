"""A loss that is summed over tokens, and divided by nothing before its gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, dotted, last

UNDIVIDED = "accumulation-not-normalised"
_SUM = Text(
    'reduction="sum" (line {line}), and nothing divides {loss} by its tokens: the gradient grows with '
    "the batch and its length",
    'reduction="sum"（第 {line} 行），而 {loss} 没有除以 token 数：梯度随 batch 和长度增大',
)
_LOSSES = ("cross_entropy", "CrossEntropyLoss")


def summed(code: Code) -> Iterator[Fault]:
    """The cross entropy of a language model; sums of others (an ELBO) are meant."""
    clips = any(last(call.func) == "clip_grad_norm_" for call in code.calls)
    if code.own_gradients or not clips:
        return  # Adam does not notice the scale, a clip does
    changed = {dotted(n.target) for n in ast.walk(code.tree) if isinstance(n, ast.AugAssign)}
    for call in code.backwards:
        loss = dotted(_of_micro_batch(getattr(call.func, "value", None)))
        nodes = code.assigned.get(loss, ())
        if len(nodes) != 1 or loss in changed:
            continue
        value, here = nodes[0].value, code.function(nodes[0]) is code.function(call)
        if isinstance(value, ast.Call) and here and _sums(code, value) and _of_tokens(value):
            yield Fault(UNDIVIDED, _SUM.fill(loss=loss, line=_line(code, value)), call)
            return


def _of_micro_batch(node: ast.AST | None) -> ast.AST | None:
    """The ``loss`` of ``loss / accumulation``: a mean over batches, not over tokens."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.left if "accum" in ast.unparse(node.right).lower() else None
    return node


def _sums(code: Code, value: ast.Call) -> bool:
    """``F.cross_entropy(..., reduction="sum")``, or what was made with it."""
    if last(value.func) in _LOSSES:
        return _is_sum(value)
    made = code.assigned.get(dotted(value.func), ())
    return bool(made) and all(
        isinstance(n.value, ast.Call) and last(n.value.func) in _LOSSES and _is_sum(n.value)
        for n in made
    )


def _is_sum(call: ast.Call) -> bool:
    return any(w.arg == "reduction" and ast.unparse(w.value) == "'sum'" for w in call.keywords)


def _line(code: Code, value: ast.Call) -> int:
    made = code.assigned.get(dotted(value.func), ())
    return made[0].lineno if made else value.lineno


def _of_tokens(value: ast.Call) -> bool:
    """Whether positions are joined with the batch: ``logits.view(-1, n)``."""
    text = ast.unparse(value.args[0]) if value.args else ""
    return any(word in text for word in ("view(-1", "reshape(-1", "flatten("))
