"""Accumulation that is written out: whether the loss is divided by its steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, Optimizer, calls_in, dotted, last

UNDIVIDED = "accumulation-not-normalised"
# Words of a loop that weighs its losses in a way of its own.
_OWN_WEIGHT = ("num_items", "reduction", ".sum(", ".grad", "scale_loss", "accumulate(", "tokens")
_COUNTS = frozenset(("print", "range", "len", "min", "max", "int", "ceil", "info"))
_NOT_DIVIDED = Text(
    "the loss is not divided by {steps}: the gradient that is clipped is the sum over the micro "
    "batches, not their mean",
    "loss 没有除以 {steps}：被裁剪的梯度是各微批次之和，而不是平均",
)


def undivided(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    """A loop that steps every few micro batches and clips, whose loss is the plain one of each."""
    steps = code.method(loop, optimizer.name, "step")
    own = code.backwards_of(loop)
    clips = any(last(call.func) == "clip_grad_norm_" for call in calls_in(loop))
    if len(steps) != 1 or len(own) != 1 or not clips or any(w in code.text for w in _OWN_WEIGHT):
        return
    count = every(code, steps[0])
    loss = dotted(getattr(own[0].func, "value", None))
    if count is None or not loss or every(code, own[0]) is not None:
        return
    name = dotted(count)
    if name and not _divides(code, loop, name) and _plain(loop, loss):
        yield Fault(UNDIVIDED, _NOT_DIVIDED.fill(steps=name), own[0])


def every(code: Code, node: ast.AST) -> ast.AST | None:
    """The n of ``if (i + 1) % n == 0:`` around a node."""
    for one in code.above(node):
        if isinstance(one, (ast.For, ast.While)):
            return None
        if isinstance(one, ast.If):
            rests = [n for n in ast.walk(one.test) if isinstance(n, ast.BinOp)]
            return next((n.right for n in rests if isinstance(n.op, ast.Mod)), None)
    return None


def _divides(code: Code, loop: Loop, name: str) -> bool:
    """Whether the steps are used for more than counting: in the loop, or where nobody looks."""
    around = code.function(loop)
    for node in code.uses(name):
        parent = code.parents[node]
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Mod, ast.FloorDiv)):
            continue
        inside = any(one is loop for one in code.above(node))
        counts = isinstance(parent, ast.Call) and last(parent.func) in _COUNTS
        length = isinstance(parent, ast.BinOp) and "len(" in ast.unparse(parent)
        if inside or code.function(node) is not around or not (counts or length):
            return True
    return False


def _plain(loop: Loop, loss: str) -> bool:
    """Whether the loss is what a call gave, and nothing is made of it before its gradients."""
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and dotted(node.target) == loss:
            return False
        if isinstance(node, ast.Assign) and loss in {dotted(one) for one in node.targets}:
            if any(isinstance(n, ast.BinOp) for n in ast.walk(node.value)):
                return False
            if not isinstance(node.value, (ast.Call, ast.Attribute)):
                return False
    return True
