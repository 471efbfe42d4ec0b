"""Gradients that are clipped too late, or while they are still scaled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, Optimizer, at, calls_in, dotted, last

CLIP, NO_EFFECT = "clip-before-unscale", "option-without-effect"
_CLIPS = ("clip_grad_norm_", "clip_grad_value_")
_CLIP_LATE = Text(
    "{clip} stands behind {optimizer}.step() (line {line}): the gradients are already used",
    "{clip} 位于 {optimizer}.step()（第 {line} 行）之后：梯度已经用完，裁剪不起作用",
)
_SCALED = Text(
    "{clip} clips gradients that are still scaled: {scaler}.unscale_({optimizer}) has to stand before",
    "{clip} 裁剪的是仍带缩放的梯度：之前需要 {scaler}.unscale_({optimizer})",
)


def clips(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    calls = sorted(calls_in(loop), key=at)
    clips = [n for n in calls if last(n.func) in _CLIPS and _clips_model(n, optimizer.model)]
    if len(clips) != 1:
        return
    clip = clips[0]
    steps = [*code.method(loop, optimizer.name, "step"), *scaled_steps(loop, optimizer.name)]
    if len(steps) == 1 and code.block(steps[0]) == code.block(clip) and at(steps[0]) < at(clip):
        first = code.backwards_of(loop)[0]
        if at(first) < at(steps[0]) and code.in_hand(optimizer, "step", "unscale_"):
            line = steps[0].lineno
            what = _CLIP_LATE.fill(clip=last(clip.func), optimizer=optimizer.name, line=line)
            yield Fault(NO_EFFECT, what, clip)


def clips_scaled(code: Code, loop: Loop) -> Iterator[Fault]:
    """A clip between ``scaler.scale(loss).backward()`` and ``scaler.step(optimizer)``, wherever the
    optimizer comes from; of several models the one whose optimizer is known."""
    steps = [n for n in calls_in(loop) if last(n.func) == "step" and n.args]
    clips = [n for n in calls_in(loop) if last(n.func) in _CLIPS and _clips_model(n, "")]
    if "unscale_" in code.text or len(clips) != 1 or not steps:
        return
    clip = clips[0]
    models = {one.name: one.model for one in code.optimizers}
    for step in sorted(steps, key=at):
        scaler, name = dotted(step.func).removesuffix(".step"), dotted(step.args[0])
        alone = len(steps) == len(code.backwards_of(loop)) == 1
        mine = _clips_model(clip, models[name]) if name in models else alone
        if scaler and name and mine and _scales(code, loop, scaler) and at(clip) < at(step):
            values = {"clip": last(clip.func), "scaler": scaler, "optimizer": name}
            yield Fault(CLIP, _SCALED.fill(values), clip)


def _clips_model(call: ast.Call, model: str) -> bool:
    given = call.args[0] if call.args else None
    name = dotted(given.func) if isinstance(given, ast.Call) else ""
    return name == f"{model}.parameters" if model else name.endswith(".parameters")


def _scales(code: Code, loop: Loop, scaler: str) -> bool:
    """Whether ``scaler.scale(loss).backward()`` is what the loop calls, with a scaler of its own."""
    made = code.assigned.get(scaler, ())
    value = made[0].value if len(made) == 1 else None
    own = isinstance(value, ast.Call) and last(value.func) == "GradScaler" and not _off(value)
    receiver = getattr(code.backwards_of(loop)[0].func, "value", None)
    return own and isinstance(receiver, ast.Call) and dotted(receiver.func) == f"{scaler}.scale"


def _off(scaler: ast.Call) -> bool:
    """Whether a scaler does nothing: ``GradScaler(enabled=False)``."""
    given = (word.value for word in scaler.keywords if word.arg == "enabled")
    return any(isinstance(value, ast.Constant) and not value.value for value in given)


def scaled_steps(inside: ast.AST, optimizer: str) -> list[ast.Call]:
    """``scaler.step(optimizer)``."""
    found = (call for call in calls_in(inside) if last(call.func) == "step")
    return sorted((n for n in found if n.args and dotted(n.args[0]) == optimizer), key=at)
