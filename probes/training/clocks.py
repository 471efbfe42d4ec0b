"""Collectives that each rank comes to by its own clock, or by a number that it draws alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, calls_in, dotted, last
from .guards import EXTRA, among_some, collective_calls
from .ranks import Ranks

_BY_CLOCK = Text(
    "{call} under `if {test}:` (line {line}), which each rank asks of its own {what}: the ranks come to "
    "it in different steps; let one rank decide and broadcast it",
    "{call} 位于 `if {test}:`（第 {line} 行）之内，而每个 rank 各自按自己的{what}判断：它们会在不同的步走到这里；"
    "应由一个 rank 决定并广播",
)
_CLOCK, _DRAW = Text("clock", "时钟"), Text("random number", "随机数")
_CLOCKS = frozenset(
    """
    time.time time.monotonic time.perf_counter time.time_ns time.monotonic_ns time.perf_counter_ns
    time perf_counter monotonic datetime.now datetime.datetime.now datetime.utcnow
    """.split()  # noqa: SIM905
)
_DRAWS = frozenset(("random.random", "np.random.rand", "numpy.random.rand", "np.random.random"))


def by_clock(code: Code) -> Iterator[Fault]:
    """``if time.time() - last > 600: …; dist.barrier()`` in a loop, of one function or through one."""
    ranks = Ranks(code)
    for call in collective_calls(code):
        if among_some(call):
            continue
        guard = _guard(code, call, ranks) or _guard_of_function(code, call, ranks)
        if guard is not None:
            drawn = any(dotted(c.func) in _DRAWS for c in calls_in(guard.test))
            values = {"call": f"{dotted(call.func)}()", "line": guard.lineno}
            values["test"] = ast.unparse(guard.test)
            yield Fault(EXTRA, _BY_CLOCK.fill(values, what=_DRAW if drawn else _CLOCK), call)
            return


def _guard(code: Code, node: ast.AST, ranks: Ranks) -> ast.If | None:
    """The condition by a clock around a node, in a loop and in no branch that speaks of ranks."""
    ifs = [one for one in code.around(node) if isinstance(one, ast.If)]
    if any(ranks.mentions(one.test) or ranks.of_the_world(one.test) for one in ifs):
        return None
    found = next((one for one in ifs if _asks_alone(code, one)), None)
    return found if found is not None and code.loops(found) else None


def _guard_of_function(code: Code, call: ast.Call, ranks: Ranks) -> ast.If | None:
    """That of the only call of the function in which a collective stands free."""
    function = code.function(call)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    if any(isinstance(one, ast.If) for one in code.around(call)):
        return None
    calls = [one for one in code.calls if dotted(one.func) == function.name]
    return _guard(code, calls[0], ranks) if len(calls) == 1 else None


def _asks_alone(code: Code, node: ast.If) -> bool:
    """Whether a condition is one of a clock, or of a variable that the loop sets by it."""
    if _reads_clock(node.test):
        return True
    names = [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)]
    values = [one for name in names for one in code.assigned.get(name, ()) if code.loops(one)]
    return bool(values) and all(at(v) < at(node) and _reads_clock(v.value) for v in values)


def _reads_clock(node: ast.AST) -> bool:
    """Whether a clock is compared, or a time that has gone by: no call of the program's own."""
    calls = list(calls_in(node))
    asked = [call for call in calls if dotted(call.func) in _CLOCKS | _DRAWS]
    return bool(asked) and all(c in asked or last(c.func) in ("max", "min", "int") for c in calls)
