"""Gradients that are cleared once an epoch, while every batch makes a step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, Optimizer, at, calls_in, last

NOT_CLEARED = "gradients-never-cleared"
_OUTSIDE = Text(
    "{clear} stands outside the loop of line {line}, whose every round makes a step: each one adds to "
    "the gradients of all before in this round of the outer loop",
    "{clear} 写在第 {line} 行的循环之外，而该循环每一轮都更新一次：本轮外层循环中之前各步的梯度都累加在一起",
)
_CLEARS = ("zero_grad", "clear_gradients", "zero_grads")


def cleared_outside(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    """``for epoch: opt.zero_grad(); for batch: loss.backward(); opt.step()``."""
    steps = code.method(loop, optimizer.name, "step")
    around = code.loops(loop)
    if len(steps) != 1 or not around or code.own_gradients or not code.straight(loop, steps[0]):
        return
    if any(last(call.func) in _CLEARS or _may_clear(code, call) for call in calls_in(loop)):
        return
    outer = [
        call
        for call in calls_in(around[0])
        if last(call.func) in _CLEARS and code.loops(call)[:1] == [around[0]]
    ]
    if outer and code.in_hand(optimizer):
        clear = min(outer, key=at)
        told = {"clear": f"{ast.unparse(clear)}", "line": loop.lineno}
        yield Fault(NOT_CLEARED, _OUTSIDE.fill(told), clear)


def _may_clear(code: Code, call: ast.Call) -> bool:
    """Whether a call is of a function of the module that clears."""
    own = code.functions.get(last(call.func))
    return own is not None and any(word in ast.unparse(own) for word in _CLEARS)
