"""A state that goes from one batch into the next together with the graph that made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, calls_in, dotted

CARRIED, CHANGED = "graph-used-twice", "in-place-on-needed-tensor"
_STATE = Text(
    "{state} comes from {call} and goes into it again with the next batch, and nothing detaches it: "
    "backward reaches into the graphs of all batches before",
    "{state} 由 {call} 得到，又随下一个 batch 传入，而没有 detach：反向会一直走进之前所有 batch 的计算图",
)
_RETAINED = Text(
    "{state} comes from {call} and goes into it again with the next batch, not detached: with "
    "retain_graph=True (line {line}) backward reaches into the graph of the batch before, whose "
    "weights step() has changed in place",
    "{state} 由 {call} 得到，又随下一个 batch 传入，没有 detach：加上 retain_graph=True（第 {line} 行），"
    "反向会走进上一个 batch 的计算图，而那里的权重已被 step() 原地改写",
)
# What cuts it, or makes it anew; a function of the program's own may do it.
_CUTS = ("detach", "repackage", "zero_state", "init_hidden")


def carried(code: Code) -> Iterator[Fault]:
    """``out, state = model(x, state)`` in the loop of ``backward``, where the state was made outside."""
    for loop in code.training_loops:
        for node in ast.walk(loop):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            if code.loops(node)[:1] != [loop]:
                continue  # of the steps within one batch
            given = {dotted(one) for one in node.value.args} | {
                dotted(word.value) for word in node.value.keywords
            }
            targets = [t for one in node.targets if isinstance(one, ast.Tuple) for t in one.elts]
            for name in (dotted(one) for one in targets):
                if name and name in given and _goes_on(code, name, loop):
                    values = {"state": name, "call": f"{dotted(node.value.func)}()"}
                    yield _fault(code, loop, node, values)
                    return


def _fault(code: Code, loop: Loop, node: ast.AST, values: dict[str, str]) -> Fault:
    for call in code.backwards_of(loop):
        if any(word.arg == "retain_graph" for word in call.keywords):
            return Fault(CHANGED, _RETAINED.fill({**values, "line": call.lineno}), node)
    return Fault(CARRIED, _STATE.fill(values), node)


def _goes_on(code: Code, name: str, loop: ast.AST) -> bool:
    """Whether a name is set once in the loop, and nothing of the program may cut it."""
    inside = [n for n in code.assigned.get(name, ()) if n in list(ast.walk(loop))]
    handed = [c for c in calls_in(loop) if name in {dotted(one) for one in c.args}]
    cut = any(word in code.text for word in _CUTS) or ".data" in ast.unparse(loop)
    return len(inside) == 1 and len(handed) == 1 and not cut
