"""Faults of a training loop that the code itself shows, whatever it is run with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .accumulation import undivided
from .answer_words import other_marks
from .backends import backends
from .batches import one_batch
from .carried import carried
from .clocks import by_clock
from .clearing import cleared_outside
from .code import Code, Fault, Loop, Optimizer, at, calls_in, dotted, last
from .dimensions import dimensions
from .graphs import graphs
from .guards import collectives, written_by_all
from .kept import kept
from .labels import shifted
from .leaving import leaves_alone
from .made_labels import made_labels
from .modes import modes
from .newest_by_name import newest_by_name
from .no_effect import no_effect
from .pacing import too_often
from .padded_labels import padded_labels
from .paid_length import paid_length
from .probabilities import probabilities
from .replaced import replaced
from .resumed import resumed
from .same_draws import same_draws
from .samplers import samplers
from .seeds import own_start
from .sharded import sharded
from .signs import signs
from .summed import summed
from .undefined import undefined
from .unguarded import unguarded
from .unread_resume import unread_resume
from .zeros import zeros

NOT_STEPPED, NOT_CLEARED = "optimizer-not-stepped", "gradients-never-cleared"
MODE, CLIP = "model-in-other-mode", "clip-before-unscale"
NO_EFFECT = "option-without-effect"
_CLIPS = ("clip_grad_norm_", "clip_grad_value_")

_NO_STEP = Text(
    "{optimizer}.step() is called nowhere: the gradients of this loop are never applied",
    "全文没有调用 {optimizer}.step()：这个循环的梯度从未被应用",
)
_CLEARED = Text(
    "{optimizer}.zero_grad() stands between backward (line {line}) and step(): the step has no "
    "gradient",
    "{optimizer}.zero_grad() 位于 backward（第 {line} 行）与 step() 之间：更新时已没有梯度",
)
_NO_CLEAR = Text(
    "nothing clears the gradients: each step adds to those of all steps before",
    "没有任何地方清零梯度：每一步都累加在之前所有步之上",
)
_CLIP_LATE = Text(
    "{clip} stands behind {optimizer}.step() (line {line}): the gradients are already used",
    "{clip} 位于 {optimizer}.step()（第 {line} 行）之后：梯度已经用完，裁剪不起作用",
)
_SCALED = Text(
    "{clip} clips gradients that are still scaled: {scaler}.unscale_({optimizer}) has to stand before",
    "{clip} 裁剪的是仍带缩放的梯度：之前需要 {scaler}.unscale_({optimizer})",
)
_STAYS = Text(
    "{model}.eval() inside the training loop, and no {model}.train() behind it: the steps that follow "
    "run in evaluation mode",
    "训练循环中调用了 {model}.eval()，之后没有 {model}.train()：后面的步都在评测模式下训练",
)


def faults(code: Code) -> Iterator[Fault]:
    yield from collectives(code)
    yield from by_clock(code)
    yield from written_by_all(code)
    yield from made_labels(code)
    yield from padded_labels(code)
    yield from other_marks(code)
    yield from undefined(code)
    yield from unguarded(code)
    yield from paid_length(code)
    yield from too_often(code)
    yield from unread_resume(code)
    yield from sharded(code)
    yield from backends(code)
    yield from probabilities(code)
    yield from graphs(code)
    yield from signs(code)
    yield from zeros(code)
    yield from modes(code)
    yield from dimensions(code)
    yield from newest_by_name(code)
    if not code.backwards:
        return
    for loop in code.training_loops:
        yield from _clips_scaled(code, loop)
        for optimizer in code.optimizers:
            if _steps_here(code, loop, optimizer):
                yield from _of_loop(code, loop, optimizer)
    yield from replaced(code)
    yield from samplers(code)
    yield from shifted(code)
    yield from one_batch(code)
    yield from own_start(code)
    yield from same_draws(code)
    yield from resumed(code)
    yield from kept(code)
    yield from leaves_alone(code)
    yield from summed(code)
    yield from carried(code)
    yield from no_effect(code)


def _steps_here(code: Code, loop: Loop, optimizer: Optimizer) -> bool:
    """Whether a loop runs the model that the optimizer has."""
    called = any(dotted(call.func) == optimizer.model for call in calls_in(loop))
    return called or bool(code.method(loop, optimizer.name, "zero_grad", "step"))


def _of_loop(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    yield from _not_stepped(code, loop, optimizer)
    yield from _not_cleared(code, loop, optimizer)
    yield from cleared_outside(code, loop, optimizer)
    yield from _clips(code, loop, optimizer)
    yield from undivided(code, loop, optimizer)
    yield from _stays(code, loop, optimizer)


# --- the step -------------------------------------------------------------------------------


def _not_stepped(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    name = optimizer.name
    first = _backward(code, loop)
    if code.own_gradients:
        return
    if code.in_hand(optimizer) and not any(True for _ in code.uses(f"{name}.step")):
        yield Fault(NOT_STEPPED, _NO_STEP.fill(optimizer=name), first)
        return
    clears = code.method(loop, name, "zero_grad")
    steps = code.method(loop, name, "step")
    if len(clears) != 1 or len(steps) != 1 or len(code.backwards_of(loop)) != 1:
        return
    clear, step = clears[0], steps[0]
    together = code.block(clear) == code.block(step)
    if together and at(first) < at(clear) < at(step) and _straight(code, loop, first):
        what = _CLEARED.fill(optimizer=name, line=getattr(first, "lineno", 0))
        yield Fault(NOT_STEPPED, what, clear)


def _straight(code: Code, loop: Loop, call: ast.AST) -> bool:
    """Whether a call is a statement of the loop's own body, or of a ``with`` in it."""
    for one in code.above(call):
        if one is loop:
            return True
        if isinstance(one, (ast.If, ast.Try, ast.For, ast.While)):
            return False
    return False


def _backward(code: Code, loop: Loop) -> ast.Call:
    return code.backwards_of(loop)[0]


def _not_cleared(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    steps = [*code.method(loop, optimizer.name, "step"), *_scaled_steps(loop, optimizer.name)]
    words = ("zero_grad", "clear", "zero_")
    if (
        steps
        and not code.own_gradients
        and code.in_hand(optimizer, "step", "unscale_")
        and not any(w in code.text for w in words)
    ):
        yield Fault(NOT_CLEARED, _NO_CLEAR, _backward(code, loop))


def _scaled_steps(inside: ast.AST, optimizer: str) -> list[ast.Call]:
    """``scaler.step(optimizer)``."""
    found = (call for call in calls_in(inside) if last(call.func) == "step")
    return sorted((n for n in found if n.args and dotted(n.args[0]) == optimizer), key=at)


# --- clipping -------------------------------------------------------------------------------


def _clips(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    calls = sorted(calls_in(loop), key=at)
    clips = [n for n in calls if last(n.func) in _CLIPS and _clips_model(n, optimizer.model)]
    if len(clips) != 1:
        return
    clip = clips[0]
    steps = [*code.method(loop, optimizer.name, "step"), *_scaled_steps(loop, optimizer.name)]
    if len(steps) == 1 and code.block(steps[0]) == code.block(clip) and at(steps[0]) < at(clip):
        first = _backward(code, loop)
        if at(first) < at(steps[0]) and code.in_hand(optimizer, "step", "unscale_"):
            line = steps[0].lineno
            what = _CLIP_LATE.fill(clip=last(clip.func), optimizer=optimizer.name, line=line)
            yield Fault(NO_EFFECT, what, clip)


def _clips_scaled(code: Code, loop: Loop) -> Iterator[Fault]:
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
    receiver = getattr(_backward(code, loop).func, "value", None)
    return own and isinstance(receiver, ast.Call) and dotted(receiver.func) == f"{scaler}.scale"


def _off(scaler: ast.Call) -> bool:
    """Whether a scaler does nothing: ``GradScaler(enabled=False)``."""
    given = (word.value for word in scaler.keywords if word.arg == "enabled")
    return any(isinstance(value, ast.Constant) and not value.value for value in given)


# --- the mode -------------------------------------------------------------------------------


def _stays(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    """``model.eval()`` in the loop, or in the one around it, with no way back inside of it."""
    around = code.loops(loop)
    for one in (loop, *around):
        if _trains(code, one, optimizer.model):
            return
        evals = _evals(code, one, optimizer.model)
        late = bool(evals) and at(evals[0]) > at(_backward(code, loop))
        back = any(_trains(code, outer, optimizer.model) for outer in code.loops(one))
        if late and not _leaves(code, evals[0]) and (not back or _repeats(code, evals[0])):
            yield Fault(MODE, _STAYS.fill(model=optimizer.model), evals[0])
            return


def _trains(code: Code, inside: ast.AST, model: str) -> bool:
    """Whether anything below may bring a model back to training mode."""
    for call in calls_in(inside):
        if last(call.func) in ("train", "set_train_mode"):
            return True
        given = [dotted(arg) for arg in call.args]
        own = code.functions.get(dotted(call.func))
        if own is not None and ".train(" in "".join(map(ast.unparse, (own, *_called(code, own)))):
            return True
        if own is None and model in given and "." not in dotted(call.func):
            return True  # what a function of another module does is not known
    return False


def _called(code: Code, own: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The functions of the module that one of them calls."""
    return [f for call in calls_in(own) if (f := code.functions.get(dotted(call.func)))]


def _evals(code: Code, inside: ast.AST, model: str) -> list[ast.AST]:
    found: list[ast.AST] = list(code.method(inside, model, "eval"))
    for call in calls_in(inside):
        own = code.functions.get(dotted(call.func))
        if own is None:
            continue
        names = [arg.arg for arg in own.args.args]
        given = {n for n, arg in zip(names, call.args, strict=False) if dotted(arg) == model}
        if model not in names and isinstance(code.function(own), ast.Module):
            given.add(model)  # the one of the module
        if any(code.method(own, name, "eval") for name in sorted(given)):
            found.append(call)
    return sorted(found, key=at)


def _repeats(code: Code, node: ast.AST) -> bool:
    """Whether a place is come by every few steps: under a test like ``step % 100 == 0``."""
    tests = (one.test for one in code.above(node) if isinstance(one, ast.If))
    near = next(tests, None)
    return near is not None and any(isinstance(n, ast.Mod) for n in ast.walk(near))


def _leaves(code: Code, node: ast.AST) -> bool:
    """Whether the loop ends where the model is evaluated."""
    around, name = code.block(node)
    body: list[ast.stmt] = getattr(around, name)
    return any(isinstance(one, (ast.Break, ast.Return, ast.Raise)) for one in body)
