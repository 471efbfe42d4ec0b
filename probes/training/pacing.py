"""Schedulers that are stepped more often than their steps were counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.i18n import Text

from .accumulation import every
from .code import Code, Fault, at, calls_in, dotted, last, schedules

OFTEN = "scheduler-stepped-too-often"
_TWICE = Text(
    "{scheduler}.step() is called here and in line {line}: twice for each step",
    "{scheduler}.step() 在这里和第 {line} 行各调用一次：每步前进两次",
)
_MICRO = Text(
    "{scheduler}.step() is called for every micro batch, {optimizer}.step() for one in {steps}, and "
    "the schedule counts the latter (line {line})",
    "{scheduler}.step() 每个微批次都调用，{optimizer}.step() 每 {steps} 个才调用一次，"
    "而调度器的总步数按后者计算（第 {line} 行）",
)
_PREPARED = Text(
    "{scheduler} went through prepare() (line {line}), so that each call advances it once per process: "
    "on several processes the {total} steps it was made for end before those of the loop",
    "{scheduler} 经过 prepare()（第 {line} 行），每次调用会按进程数前进：多进程时，它的 {total} 步会早于循环的步数走完",
)


def too_often(code: Code) -> Iterator[Fault]:
    for name, nodes in code.assigned.items():
        made = nodes[0].value
        if not name or not isinstance(made, ast.Call) or not schedules(made):
            continue
        steps = [c for c in code.method(code.tree, name, "step") if not c.args and not c.keywords]
        if len(nodes) == 1:
            yield from _twice(code, name, steps)
            yield from _per_micro_batch(code, name, made, steps)
        yield from _prepared(code, name, made, steps)


def _twice(code: Code, name: str, steps: Sequence[ast.Call]) -> Iterator[Fault]:
    """Two calls in one list of statements, in a loop."""
    for first, second in pairwise(steps):
        one, other = code.parents[first], code.parents[second]
        if not (isinstance(one, ast.Expr) and isinstance(other, ast.Expr) and code.loops(first)):
            continue
        body, which = code.block(one)
        between = [n for n in getattr(body, which) if at(one) < at(n) < at(other)]
        leaves = any(isinstance(n, (ast.Break, ast.Return, ast.Continue)) for n in between)
        if code.block(other) == (body, which) and not leaves:
            yield Fault(OFTEN, _TWICE.fill(scheduler=name, line=first.lineno), second)
            return


def _per_micro_batch(
    code: Code, name: str, made: ast.Call, steps: Sequence[ast.Call]
) -> Iterator[Fault]:
    """The scheduler in the loop, the optimizer under ``if (i + 1) % n == 0``, and a schedule
    whose length is divided by this n."""
    for call in steps:
        loop = code.loops(call)[:1]
        if not loop or loop[0] not in code.training_loops or _guarded(code, call):
            continue
        for optimizer in code.optimizers:
            updates = code.method(loop[0], optimizer.name, "step")
            rest = every(code, updates[0]) if len(updates) == 1 else None
            steps_of = dotted(rest)
            if steps_of and _divided_by(code, made, steps_of):
                values = {"scheduler": name, "optimizer": optimizer.name, "steps": steps_of}
                yield Fault(OFTEN, _MICRO.fill({**values, "line": made.lineno}), call)
                return


def _guarded(code: Code, node: ast.AST) -> bool:
    """Whether a call stands under a condition in its loop, or behind a ``continue``."""
    for one in code.around(node):
        if isinstance(one, (ast.If, ast.Try, ast.With)):
            return True
        if isinstance(one, (ast.For, ast.While)):
            before = [n for n in ast.walk(one) if isinstance(n, ast.Continue)]
            return any(at(n) < at(node) for n in before)
    return True


def _divided_by(code: Code, made: ast.AST, steps: str, depth: int = 3) -> bool:
    """Whether a length was divided by the steps of accumulation, here or where it is set."""
    for node in ast.walk(made):
        divisor = node.right if isinstance(node, ast.BinOp) and _divides(node.op) else None
        if dotted(divisor) == steps:
            return True
        if isinstance(node, (ast.Name, ast.Attribute)) and depth:
            set_ = code.assigned.get(dotted(node), ())
            if len(set_) == 1 and _divided_by(code, set_[0].value, steps, depth - 1):
                return True
    return False


def _divides(operator: ast.operator) -> bool:
    return isinstance(operator, (ast.Div, ast.FloorDiv))


def _prepared(code: Code, name: str, made: ast.Call, steps: Sequence[ast.Call]) -> Iterator[Fault]:
    """A scheduler of accelerate whose length is the bound of the loop that it is stepped in: one
    step each, though accelerate counts one for each process."""
    prepare = _prepares(code, name)
    loops = [code.loops(call) for call in steps if code.loops(call)]
    if prepare is None or len(loops) != 1 or "num_processes" in _written(code, made):
        return
    bounds = {ast.unparse(one) for loop in loops[0] for one in _bounds(loop)}
    given = [*made.args, *(word.value for word in made.keywords)]
    for total in (one for one in given if ast.unparse(one) in bounds):
        if not _computed(code, total):
            values = {"scheduler": name, "line": prepare.lineno, "total": ast.unparse(total)}
            yield Fault(OFTEN, _PREPARED.fill(values), steps[0])
            return


def _prepares(code: Code, name: str) -> ast.Call | None:
    """The ``prepare`` that is given the scheduler, of an accelerator that multiplies its steps."""
    for call in code.calls:
        owner = dotted(call.func).removesuffix(".prepare")
        if owner == dotted(call.func) or name not in {dotted(arg) for arg in call.args}:
            continue
        made = code.assigned.get(owner, ())
        value = made[0].value if len(made) == 1 else None
        plain = isinstance(value, ast.Call) and last(value.func) == "Accelerator"
        words = {w.arg for w in value.keywords} if isinstance(value, ast.Call) else set()
        if plain and not words & _OWN_PACE:
            return call
    return None


_OWN_PACE = {None, "step_scheduler_with_optimizer", "split_batches", "dataloader_config",
             "deepspeed_plugin", "gradient_accumulation_steps", "gradient_accumulation_plugin"}  # fmt: skip


def _written(code: Code, made: ast.AST) -> str:
    """A call as it is written, with what the names in it are set to."""
    names = {dotted(n) for n in ast.walk(made) if isinstance(n, (ast.Name, ast.Attribute))}
    values = [ast.unparse(one.value) for n in names for one in code.assigned.get(n, ())]
    return " ".join([ast.unparse(made), *values])


def _computed(code: Code, total: ast.AST) -> bool:
    """Whether a length comes of anything but a setting: of the length of a loader, it may be that
    of all processes."""
    if any(True for _ in calls_in(total)):
        return True
    values = [one.value for one in code.assigned.get(dotted(total), ())]
    return isinstance(total, ast.Constant) or any(
        isinstance(n, (ast.Call, ast.BinOp)) for value in values for n in ast.walk(value)
    )


def _bounds(loop: ast.AST) -> Iterator[ast.AST]:
    """What ends a loop: of ``while step < n``, ``range(n)`` and ``if step >= n: break``."""
    tests = [loop.test] if isinstance(loop, ast.While) else []
    ends = (n for n in ast.walk(loop) if isinstance(n, ast.If))
    tests += [one.test for one in ends if any(isinstance(n, ast.Break) for n in one.body)]
    for test in tests:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            yield test.comparators[0]
    counted = loop.iter if isinstance(loop, ast.For) else None
    if isinstance(counted, ast.Call) and last(counted.func) in ("range", "trange") and counted.args:
        yield counted.args[min(1, len(counted.args) - 1)]
