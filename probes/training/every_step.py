"""What a training loop does in each step, without a condition, that costs more than it gives.

Costs: PyTorch documentation, torch.profiler ("schedule"), autograd.detect_anomaly, CUDA semantics
("empty_cache"); performance tuning guide ("Avoid unnecessary CPU-GPU synchronization").
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from medic.i18n import Text
from medic.records import dataclass

from .code import Code, at, calls_in, dotted, last

DEBUGGING, WAITING, LOGGING = "debugging", "waiting", "logging"
_PROFILERS = ("profiler.profile", "autograd.profiler.profile", "emit_nvtx")
_TRACES = ("export_chrome_trace", "export_stacks", "export_memory_timeline")
_ANOMALY = ("set_detect_anomaly", "detect_anomaly")
_ALL = ("parameters", "named_parameters", "state_dict", "named_modules", "modules")
_COSTS = {
    "profiles": Text(
        "each operation and its stack is recorded, and the record is written out",
        "每个算子及其调用栈都被记录并写出",
    ),
    "anomaly": Text(
        "a trace is kept of every operation, and backward looks for NaN behind each",
        "每个算子都记录调用栈，反向时逐个检查 NaN",
    ),
    "empties": Text(
        "the GPU is waited for, and the memory given back is asked of the driver again",
        "要等 GPU 算完，还回去的显存又得重新向驱动申请",
    ),
    "collects": Text(
        "all Python objects are walked through while the GPU waits",
        "要遍历所有 Python 对象，GPU 在一旁等着",
    ),
    "histograms": Text(
        "every tensor of the model is copied to the CPU and counted there",
        "模型的每个张量都要复制到 CPU 上统计",
    ),
}


@dataclass(frozen=True)
class Habit:
    """What it is done for, the call as written, what it costs and where it stands."""

    kind: str
    call: str
    cost: Text
    node: ast.AST


def habits(code: Code) -> Iterator[Habit]:
    """Each kind once, in the order in which they stand."""
    told: set[str] = set()
    steps = _Steps(code)
    for call in sorted(code.calls, key=at):
        found = _habit(code, steps, call)
        if found is not None and found[0] not in told:
            told.add(found[0])
            kind, name = found
            yield Habit(kind, name, _COSTS[_cost(name)], call)


def _habit(code: Code, steps: _Steps, call: ast.Call) -> tuple[str, str] | None:
    """(kind, the call's name) of one that is a habit."""
    name = dotted(call.func)
    if last(call.func) in _ANOMALY:
        return (DEBUGGING, name) if _anomaly(code, steps, call) else None
    if not steps.each(call):
        return None
    if last(call.func) in _TRACES or _profiles(call, name):
        return DEBUGGING, name
    if name.endswith("cuda.empty_cache") or name == "gc.collect":
        return WAITING, name
    if last(call.func) == "add_histogram" and _of_all(code, call):
        return LOGGING, last(call.func)
    return None


def _cost(name: str) -> str:
    words = {"anomaly": "anomaly", "empty_cache": "empties", "collect": "collects"}
    found = next((cost for word, cost in words.items() if word in name), "")
    return found or ("histograms" if name == "add_histogram" else "profiles")


def _profiles(call: ast.Call, name: str) -> bool:
    """A profiler that is on: without a schedule, or a switch that a setting may turn off."""
    given = {w.arg for w in call.keywords}
    return name.endswith(_PROFILERS) and not given & {None, "schedule", "enabled", "use_cuda"}


def _anomaly(code: Code, steps: _Steps, call: ast.Call) -> bool:
    """Turned on for good: at import or above the loop, or around each step."""
    first = call.args[0] if call.args else next((w.value for w in call.keywords), None)
    if last(call.func) == "detect_anomaly":
        entered = isinstance(code.parents[call], ast.withitem)
        return entered and not call.args and (steps.each(call) or steps.holds(call))
    off = any(
        last(other.func) == "set_detect_anomaly" and other is not call for other in code.calls
    )
    on = isinstance(first, ast.Constant) and first.value is True
    around = list(code.around(call))
    return on and not off and not any(isinstance(n, (ast.If, ast.Try)) for n in around)


def _of_all(code: Code, call: ast.Call) -> bool:
    """Whether it stands in a loop over all tensors of a model."""
    loops = code.loops(call)[:1]
    inner = loops[0].iter if loops and isinstance(loops[0], ast.For) else None
    return inner is not None and any(last(c.func) in _ALL for c in calls_in(inner))


class _Steps:
    """The loops whose rounds are steps, or micro steps, of a training."""

    def __init__(self, code: Code) -> None:
        self._code = code

    @cached_property
    def _trains(self) -> set[str]:
        """Names of the functions that call ``backward``, themselves or through one of their own."""
        named = self._code.functions
        found = {n for n, f in named.items() if any(_backward(c) for c in calls_in(f))}
        called = {n for n, f in named.items() if any(last(c.func) in found for c in calls_in(f))}
        return found | (called if found else set())

    @cached_property
    def _loops(self) -> set[ast.AST]:
        """The innermost around each ``backward`` or call of a function that has one and no loop
        of its own."""
        steps = [
            call
            for call in self._code.calls
            if _backward(call) or (last(call.func) in self._trains and self._is_step(call))
        ]
        return {loop for call in steps for loop in self._code.loops(call)[:1]}

    def _is_step(self, call: ast.Call) -> bool:
        own = self._code.functions[last(call.func)]
        return not any(isinstance(n, (ast.For, ast.While)) for n in ast.walk(own))

    def _rounds(self) -> set[ast.AST]:
        """With the loop around micro steps: of what is done there each round is a step."""
        outer = {o for one in self._loops for o in self._code.loops(one)[:1] if self._bounded(one)}
        return self._loops | outer

    def _bounded(self, loop: ast.AST) -> bool:
        """``for micro in range(n)``: micro steps of one step, no epoch over a loader."""
        counted = loop.iter if isinstance(loop, ast.For) else None
        steps = any(last(c.func) == "step" for c in calls_in(loop))
        return isinstance(counted, ast.Call) and last(counted.func) == "range" and not steps

    def each(self, node: ast.AST) -> bool:
        """Whether each round of such a loop reaches a node."""
        for one in self._code.around(node):
            if one in self._rounds():
                early = (n for n in ast.walk(one) if isinstance(n, ast.Continue))
                return not any(at(n) < at(node) for n in early)
            if isinstance(one, (ast.If, ast.Try, ast.IfExp, ast.While)):
                return False
            if isinstance(one, ast.For) and not any(
                last(c.func) in _ALL for c in calls_in(one.iter)
            ):
                return False
        return False

    def holds(self, node: ast.AST) -> bool:
        """Whether a ``with`` is put around all such loops, or a call of a function that has one."""
        within = next((n for n in self._code.around(node) if isinstance(n, ast.With)), None)
        around = list(self._code.around(node))
        if within is None or any(isinstance(n, (ast.If, ast.Try)) for n in around):
            return False
        return any(_backward(c) or last(c.func) in self._trains for c in calls_in(within))


def _backward(call: ast.Call) -> bool:
    return last(call.func) == "backward"
