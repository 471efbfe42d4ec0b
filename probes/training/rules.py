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
from .clearing import cleared_outside
from .clipping import clips, clips_scaled, scaled_steps
from .clocks import by_clock
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
from .shuffled_apart import shuffled_apart
from .signs import signs
from .summed import summed
from .undefined import undefined
from .unguarded import unguarded
from .unread_resume import unread_resume
from .zeros import zeros

NOT_STEPPED, NOT_CLEARED = "optimizer-not-stepped", "gradients-never-cleared"
MODE = "model-in-other-mode"

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
_STAYS = Text(
    "{model}.eval() inside the training loop, and no {model}.train() behind it: the steps that follow "
    "run in evaluation mode",
    "训练循环中调用了 {model}.eval()，之后没有 {model}.train()：后面的步都在评测模式下训练",
)
_OF_ANY_PROGRAM = (
    collectives, by_clock, written_by_all, made_labels, padded_labels, other_marks, undefined,
    unguarded, paid_length, too_often, unread_resume, sharded, backends, probabilities, graphs,
    signs, zeros, modes, dimensions, newest_by_name, shuffled_apart,
)  # fmt: skip
_OF_A_TRAINING = (
    replaced, samplers, shifted, one_batch, own_start, same_draws, resumed, kept, leaves_alone,
    summed, carried, no_effect,
)  # fmt: skip


def faults(code: Code) -> Iterator[Fault]:
    for rule in _OF_ANY_PROGRAM:
        yield from rule(code)
    if not code.backwards:
        return
    for loop in code.training_loops:
        yield from clips_scaled(code, loop)
        for optimizer in code.optimizers:
            if _steps_here(code, loop, optimizer):
                yield from _of_loop(code, loop, optimizer)
    for rule in _OF_A_TRAINING:
        yield from rule(code)


def _steps_here(code: Code, loop: Loop, optimizer: Optimizer) -> bool:
    """Whether a loop runs the model that the optimizer has."""
    called = any(dotted(call.func) == optimizer.model for call in calls_in(loop))
    return called or bool(code.method(loop, optimizer.name, "zero_grad", "step"))


def _of_loop(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    yield from _not_stepped(code, loop, optimizer)
    yield from _not_cleared(code, loop, optimizer)
    yield from cleared_outside(code, loop, optimizer)
    yield from clips(code, loop, optimizer)
    yield from undivided(code, loop, optimizer)
    yield from _stays(code, loop, optimizer)


# --- the step -------------------------------------------------------------------------------


def _not_stepped(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    name = optimizer.name
    first = code.backwards_of(loop)[0]
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
    if together and at(first) < at(clear) < at(step) and code.straight(loop, first):
        what = _CLEARED.fill(optimizer=name, line=getattr(first, "lineno", 0))
        yield Fault(NOT_STEPPED, what, clear)


def _not_cleared(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    name, loops = optimizer.name, (loop, *code.loops(loop))  # a loop of micro batches steps outside
    steps = [
        s for one in loops for s in (*code.method(one, name, "step"), *scaled_steps(one, name))
    ]
    words = ("zero_grad", "clear", "zero_")
    if (
        steps
        and not code.own_gradients
        and code.in_hand(optimizer, "step", "unscale_")
        and not any(w in code.text for w in words)
    ):
        yield Fault(NOT_CLEARED, _NO_CLEAR, code.backwards_of(loop)[0])


# --- the mode -------------------------------------------------------------------------------


def _stays(code: Code, loop: Loop, optimizer: Optimizer) -> Iterator[Fault]:
    """``model.eval()`` in the loop, or in the one around it, with no way back inside of it."""
    around = code.loops(loop)
    for one in (loop, *around):
        if _trains(code, one, optimizer.model):
            return
        evals = _evals(code, one, optimizer.model)
        late = bool(evals) and at(evals[0]) > at(code.backwards_of(loop)[0])
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
