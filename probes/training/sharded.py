"""A model whose weights are spread over all ranks, run by some of them alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, calls_in, dotted, last
from .guards import EXTRA, others_have_a_way
from .ranks import Ranks

_FORWARD = Text(
    "{model}() under `if {test}:` (line {line}): a sharded model gathers its weights from all ranks in "
    "each forward pass, and the others do not run it",
    "{model}() 只在 `if {test}:`（第 {line} 行）之内运行：分片模型每次前向都要从所有 rank 收集权重，"
    "而其他 rank 没有运行",
)
_WRAPS = frozenset(("FSDP", "FullyShardedDataParallel"))
_DEEP = 3  # functions within functions of this module


def sharded(code: Code) -> Iterator[Fault]:
    """PyTorch, ``fully_shard`` and ``FullyShardedDataParallel``: parameters are all-gathered before
    forward, so that every rank has to run it as often."""
    models = _sharded_models(code)
    ranks = Ranks(code)
    guards = (n for n in ast.walk(code.tree) if isinstance(n, ast.If)) if models else ()
    for guard in sorted(guards, key=at):
        if not ranks.chooses(guard.test) or others_have_a_way(guard):
            continue
        found = next(_runs(code, guard.body, models, _DEEP), None)
        if found is not None:
            values = {"model": dotted(found.func), "test": ast.unparse(guard.test)}
            yield Fault(EXTRA, _FORWARD.fill({**values, "line": guard.lineno}), found)
            return


def _sharded_models(code: Code) -> set[str]:
    """The names of what is wrapped as a whole: a layer alone is run by its model."""
    given = {dotted(c.args[0]) for c in code.calls if last(c.func) == "fully_shard" and c.args}
    wrapped = {
        name
        for name, nodes in code.assigned.items()
        for node in nodes
        if isinstance(node.value, ast.Call) and last(node.value.func) in _WRAPS
    }
    return (given | wrapped) - {""}


def _runs(code: Code, body: list[ast.stmt], models: set[str], depth: int) -> Iterator[ast.Call]:
    """The calls of a model in some statements, and in the functions of this module that they call."""
    for call in (call for statement in body for call in calls_in(statement)):
        if dotted(call.func) in models:
            yield call
        own = code.functions.get(dotted(call.func)) if depth else None
        if own is not None:
            yield from _runs(code, own.body, models, depth - 1)
