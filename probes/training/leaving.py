"""A loop that each rank leaves by its own loss, while the others go on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, dotted, last
from .ranks import Ranks

UNEVEN = "uneven-batches-per-rank"
_ALONE = Text(
    "`if {test}:` comes of the {loss} of each rank alone: the rank that leaves the loop here leaves the "
    "others waiting in their next all-reduce",
    "`if {test}:` 只取决于各 rank 自己的 {loss}：先离开循环的 rank 会让其他 rank 一直等在下一次 all-reduce",
)
_WRAPS = frozenset("DDP DistributedDataParallel FSDP FullyShardedDataParallel fully_shard".split())  # noqa: SIM905
# What makes a number of a loss without asking the other ranks.
_OWN = frozenset("item float min max abs round detach cpu mean sum int".split())  # noqa: SIM905
# A loss that is no number is rare, and mostly ends all ranks by itself.
_NO_NUMBER = ("isnan", "isfinite", "isinf", "nan")


def leaves_alone(code: Code) -> Iterator[Fault]:
    """``if bad >= patience: break`` of a program whose ranks meet in each backward."""
    if not any(last(call.func) in _WRAPS for call in code.calls):
        return
    ranks = Ranks(code)
    for backward in code.backwards:
        loops = code.loops(backward)
        loss = _loss(code, backward, loops[0])
        for node in ast.walk(loops[-1]) if loss else ():
            if not isinstance(node, ast.If) or not _leaves(code, node, loops):
                continue
            if any(ranks.mentions(one.test) for one in _ifs(code, node)):
                continue
            if loss in _made_of(code, node.test, loops[-1]):
                values = {"test": ast.unparse(node.test), "loss": loss}
                yield Fault(UNEVEN, _ALONE.fill(values), node)
                return


def _loss(code: Code, backward: ast.Call, loop: Loop) -> str:
    """The name in ``(loss / n).backward()`` that the loop sets."""
    inside = {id(n) for n in ast.walk(loop)}
    for node in ast.walk(backward.func):
        nodes = code.assigned.get(dotted(node), ()) if isinstance(node, ast.Name) else ()
        if any(id(one) in inside for one in nodes):
            return dotted(node)
    return ""


def _leaves(code: Code, node: ast.If, loops: list[Loop]) -> bool:
    ends = any(isinstance(one, (ast.Break, ast.Return)) for one in node.body)
    return ends and code.loops(node)[:1] != [] and code.loops(node)[0] in loops


def _ifs(code: Code, node: ast.If) -> Iterator[ast.If]:
    yield node
    yield from (one for one in code.around(node) if isinstance(one, ast.If))


def _made_of(code: Code, test: ast.AST, loop: Loop) -> set[str]:
    """The names that a condition comes of, through what the loop sets; none where anything but
    arithmetic of this rank has a part in it."""
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    if any(word in ast.unparse(test) for word in _NO_NUMBER):
        return set()
    pairs = [pair for n in ast.walk(loop) for pair in _set(n)]
    losses = {dotted(n) for c in code.backwards for n in ast.walk(c.func)} - {""}
    while True:
        values = [value for target, value in pairs if target in names - losses]
        read = {n.id for v in values for n in ast.walk(v) if isinstance(n, ast.Name)}
        if any(not _alone(v) for v in (*values, test)):
            return set()
        if read <= names:
            return set() if _handed_on(names, loop) else names
        names |= read


def _set(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """(name, what it is set to), of ``a, b = c, d`` for each."""
    if isinstance(node, ast.AugAssign):
        yield dotted(node.target), node.value
    for target in node.targets if isinstance(node, ast.Assign) else ():
        value = node.value if isinstance(node, ast.Assign) else target
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        several = isinstance(value, ast.Tuple) and len(value.elts) == len(parts)
        values = value.elts if isinstance(value, ast.Tuple) and several else [value] * len(parts)
        yield from ((dotted(one), given) for one, given in zip(parts, values, strict=True))


def _alone(value: ast.AST) -> bool:
    calls = (n for n in ast.walk(value) if isinstance(n, ast.Call))
    return all(last(call.func) in _OWN for call in calls)


def _handed_on(names: set[str], loop: Loop) -> bool:
    """Whether a tensor of these is given to what may average it over the ranks."""
    for call in (n for n in ast.walk(loop) if isinstance(n, ast.Call)):
        given = {dotted(n) for arg in call.args for n in ast.walk(arg)}
        if given & names and ("reduce" in last(call.func) or "gather" in last(call.func)):
            return True
        if given & names and "broadcast" in last(call.func):
            return True
    return False
