"""Calls of a training loop that change nothing of what they seem to change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import OPTIMIZERS, Code, Fault, Loop, at, calls_in, dotted, last

NO_EFFECT, NOT_STEPPED, LOGGED = (
    "option-without-effect",
    "optimizer-not-stepped",
    "logged-number-scaled",
)
_RATE = Text(
    '{target} is a new attribute that the optimizer never reads: its rate stands in param_groups[…]["lr"]',
    '{target} 只是一个新属性，优化器从不读取：学习率在 param_groups[…]["lr"] 里',
)
_CLIP = Text(
    "{clip} stands before backward (line {line}): there are no gradients yet, and those that come are "
    "not clipped",
    "{clip} 位于 backward（第 {line} 行）之前：此时还没有梯度，之后产生的梯度不会被裁剪",
)
_CLEARS = Text(
    "{clear} clears the gradients in each micro batch, and {step} (line {line}) stands outside of that "
    "loop: only the last micro batch counts",
    "{clear} 在每个 micro batch 里都清零梯度，而 {step}（第 {line} 行）在该循环之外：只有最后一个 micro batch 起作用",
)
_LATE = Text(
    "{part} is made behind {optimizer} (line {line}), which does not have its parameters: they stay as "
    "they start",
    "{part} 在 {optimizer}（第 {line} 行）之后才创建，不在优化器之中：参数会一直停在初值",
)
_SUM = Text(
    "{name} is added to in each step (line {line}) and never set back: the logged number grows with the "
    "steps, the loss does not",
    "{name} 每步累加（第 {line} 行）却从不清零：日志里的数随步数增长，真实的 loss 并没有",
)
_CLIPS = ("clip_grad_norm_", "clip_grad_value_")


def no_effect(code: Code) -> Iterator[Fault]:
    yield from _rates(code)
    yield from _late(code)
    for inner in code.training_loops:
        yield from _clears(code, inner)
        for loop in (inner, *code.loops(inner)):
            yield from _clips_early(code, loop)
            yield from _sums(code, loop)


def _rates(code: Code) -> Iterator[Fault]:
    """``optimizer.lr = rate`` in a loop: optimizers of torch have no such attribute."""
    for target, nodes in code.assigned.items():
        name, _, attribute = target.rpartition(".")
        made = [n.value for n in code.assigned.get(name, ())]
        is_torch = any(isinstance(one, ast.Call) and last(one.func) in OPTIMIZERS for one in made)
        inside = [node for node in nodes if code.loops(node)]
        if attribute not in ("lr", "learning_rate") or not is_torch or not inside:
            continue
        if "param_groups" not in code.text and len(made) == 1:
            yield Fault(NO_EFFECT, _RATE.fill(target=target), inside[0])
            return


def _clips_early(code: Code, loop: Loop) -> Iterator[Fault]:
    """A clip in the same block as the only ``backward``, before it and behind a clearing or a step."""
    backwards = [one for one in code.backwards if loop in code.loops(one)]
    clips = [c for c in calls_in(loop) if last(c.func) in _CLIPS]
    if len(backwards) != 1 or len(clips) != 1 or code.own_gradients:
        return
    clip, backward = clips[0], backwards[0]
    clears = [c for c in calls_in(loop) if last(c.func) == "zero_grad"]
    if len(clears) != 1 or code.block(clip) != code.block(clears[0]):
        return
    if code.loops(clip)[:1] != [loop]:
        return
    steps = [c for c in calls_in(loop) if last(c.func) == "step" and at(c) > at(backward)]
    if at(clears[0]) < at(clip) < at(backward) and steps:
        yield Fault(NO_EFFECT, _CLIP.fill(clip=last(clip.func), line=backward.lineno), clip)


def _clears(code: Code, loop: Loop) -> Iterator[Fault]:
    """``zero_grad`` in the loop over micro batches, and ``step`` in the loop around it."""
    outer = code.loops(loop)
    clears = [c for c in calls_in(loop) if last(c.func) == "zero_grad" and not code.conditional(c)]
    if not outer or len(clears) != 1 or code.own_gradients:
        return
    name = dotted(clears[0].func).removesuffix(".zero_grad")
    steps = [c for c in calls_in(outer[0]) if dotted(c.func) == f"{name}.step"]
    own = code.loops(clears[0])[:1] == [loop]
    if (
        len(steps) == 1
        and own
        and code.loops(steps[0])[:1] == [outer[0]]
        and at(steps[0]) > at(loop)
    ):
        values = {"clear": dotted(clears[0].func), "step": f"{name}.step()"}
        yield Fault(NO_EFFECT, _CLEARS.fill({**values, "line": steps[0].lineno}), clears[0])


def _late(code: Code) -> Iterator[Fault]:
    """``model.head = nn.Linear(…)`` behind the optimizer of ``model.parameters()``, before training."""
    if "add_param_group" in code.text or "requires_grad" in code.text:
        return
    for optimizer in code.optimizers:
        for target, nodes in code.assigned.items():
            made = nodes[-1].value
            part = target.startswith(f"{optimizer.model}.") and isinstance(made, ast.Call)
            if not part or not dotted(getattr(made, "func", None)).startswith(("nn.", "torch.nn.")):
                continue
            behind = at(nodes[-1]) > at(optimizer.node)
            same = code.block(nodes[-1]) == code.block(optimizer.node)
            if behind and same and code.before_training(nodes[-1]):
                values = {"part": target, "optimizer": optimizer.name}
                what = _LATE.fill({**values, "line": optimizer.node.lineno})
                yield Fault(NOT_STEPPED, what, nodes[-1])
                return


def _sums(code: Code, loop: Loop) -> Iterator[Fault]:
    """``running += loss.item()``, logged every so many steps over a constant number of them."""
    for node in ast.walk(loop):
        if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
            continue
        name = dotted(node.target)
        loss = "loss" in ast.unparse(node.value) and ".item()" in ast.unparse(node.value)
        sets = code.assigned.get(name, ())
        outside = [one for one in sets if loop not in set(code.above(one))]
        if not name or not loss or code.conditional(node) or len(sets) != 1 or len(outside) != 1:
            continue
        if code.loops(outside[0]) or code.loops(node)[:1] != [loop]:
            continue  # set back with each epoch
        for use in code.uses(name):
            over = code.parents[use]
            if (
                not isinstance(over, ast.BinOp)
                or not isinstance(over.op, ast.Div)
                or over.left is not use
            ):
                continue
            if _constant(over) and loop in set(code.above(use)):
                yield Fault(LOGGED, _SUM.fill(name=name, line=node.lineno), over)
                return


def _constant(division: ast.BinOp) -> bool:
    """By a number, or a setting: not by a count of the steps so far."""
    by = division.right
    if isinstance(by, ast.Constant):
        return True
    text = ast.unparse(by).lower()
    return any(word in text for word in ("interval", "every", "freq", "log_")) and "(" not in text
