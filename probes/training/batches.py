"""A training loop that takes the same batch at every step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, at, calls_in, dotted, last

ONE = "one-batch-repeated"
_AGAIN = Text(
    "next(iter({loader})) in the loop begins the loader anew at each step, and it does not shuffle: "
    "every step gets its first batch",
    "循环中的 next(iter({loader})) 每步都重新开始迭代，且没有 shuffle：每一步拿到的都是第一个 batch",
)
_BEFORE = Text(
    "this batch is taken once, before the loop of line {line}: every step trains on it",
    "这个 batch 只在第 {line} 行的循环之前取了一次：每一步都在同一个 batch 上训练",
)
# One batch learned by heart is a usual test of a loop, and said to be one.
_TESTS = (
    "overfit",
    "over-fit",
    "sanity",
    "memoris",
    "memoriz",
    "profil",
    "benchmark",
    "warmup_batch",
)
_COUNTS = frozenset(("range", "trange", "count"))
_MOVES = frozenset(("to", "cuda", "items", "device", "long", "clone"))


def one_batch(code: Code) -> Iterator[Fault]:
    if "iter(" not in code.text or any(word in code.text.lower() for word in _TESTS):
        return
    taken = [call for call in code.calls if _loader(call)]
    for backward in code.backwards:
        loops = code.loops(backward)
        for call in taken:
            if code.function(call) is not code.function(backward):
                continue
            around = code.loops(call)
            if around and around[0] is loops[0]:
                yield from _begun_anew(code, call)
            elif not around and at(call) < at(loops[-1]):
                yield from _taken_before(code, call, loops)
        return


def _loader(call: ast.Call) -> str:
    """``X`` of ``next(iter(X))``."""
    inner = call.args[0] if dotted(call.func) == "next" and len(call.args) == 1 else None
    if isinstance(inner, ast.Call) and dotted(inner.func) == "iter" and len(inner.args) == 1:
        return dotted(inner.args[0])
    return ""


def _begun_anew(code: Code, call: ast.Call) -> Iterator[Fault]:
    name = _loader(call)
    made = code.assigned.get(name, ())
    if len(made) != 1 or not isinstance(made[0].value, ast.Call):
        return
    loader = made[0].value
    words = {one.arg: one.value for one in loader.keywords}
    shuffle = words.get("shuffle", ast.Constant(False))
    still = isinstance(shuffle, ast.Constant) and not shuffle.value
    drawn = {"sampler", "batch_sampler", None} & words.keys()
    if last(loader.func) != "DataLoader" or len(loader.args) > 2 or drawn or not still:
        return
    if not code.conditional(call):
        yield Fault(ONE, _AGAIN.fill(loader=name), call)


def _taken_before(code: Code, call: ast.Call, loops: list[Loop]) -> Iterator[Fault]:
    parent = code.parents[call]
    if not isinstance(parent, ast.Assign) or not all(map(_counts, loops)):
        return
    names = {dotted(n) for t in parent.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    names |= _moved(code, names, loops)
    if _draws_within(loops[-1], names) or not _trains_on(loops[0], names):
        return
    yield Fault(ONE, _BEFORE.fill(line=loops[-1].lineno), call)


def _counts(loop: Loop) -> bool:
    """Whether a loop only counts: ``while``, ``for step in range(n)``, also within ``tqdm``."""
    if isinstance(loop, ast.While):
        return True
    called = [last(call.func) for call in calls_in(loop.iter)]
    return bool(_COUNTS.intersection(called)) and "zip" not in called


def _moved(code: Code, names: set[str], loops: list[Loop]) -> set[str]:
    """What is made of the batch before the loop: its inputs and labels, moved to the GPU."""
    found = set(names)
    for name, nodes in code.assigned.items():
        own = [n for n in nodes if code.function(n) is code.function(loops[0])]
        if own and all(found & _read(n.value) and at(n) < at(loops[-1]) for n in own):
            found.add(name)
    return found


def _read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _draws_within(loop: Loop, names: set[str]) -> bool:
    """Whether the batch is given another value inside the loop, but by moving it."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and dotted(node.func) == "next":
            return True
        targets = node.targets if isinstance(node, ast.Assign) else ()
        bound = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if isinstance(node, ast.Assign) and bound & names:
            moved = all(last(call.func) in _MOVES for call in calls_in(node.value))
            if not moved or not _read(node.value) & names:
                return True
    return False


def _trains_on(loop: Loop, names: set[str]) -> bool:
    """Whether a call of a model in the loop takes the batch: no method of the batch itself."""
    for call in calls_in(loop):
        given = [*call.args, *(word.value for word in call.keywords)]
        bare = isinstance(call.func, ast.Name)
        if bare and any(names & _read(one) for one in given) and dotted(call.func) != "print":
            return True
    return False
