"""What only some ranks do: collectives that the others do not call, and files that all write."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.text.patterns import regex

from .code import Code, Fault, at, calls_in, dotted, last
from .ranks import Ranks

EXTRA, RACE = "extra-collective-on-some-ranks", "ranks-race-on-checkpoint-folder"
# torch.distributed; of accelerate those that meet all processes.
_COLLECTIVES = frozenset(
    """
    all_reduce all_gather all_gather_object all_gather_into_tensor all_to_all all_to_all_single
    barrier monitored_barrier broadcast broadcast_object_list gather gather_object reduce
    reduce_scatter reduce_scatter_tensor scatter scatter_object_list
    """.split()  # noqa: SIM905
)
_OF_ACCELERATE = frozenset(("wait_for_everyone", "gather", "gather_for_metrics", "reduce"))
_PARTS = regex(r"group|mesh|comm|\bpg\b|_pg\b")  # of a collective among some ranks
_ALL_ONES = ("init_process_group", "init_distributed")
# Lightning, and what projects call theirs; accelerate runs what it decorates on its main process.
_ON_ONE = frozenset(
    "rank_zero_only main_process_only master_only on_main_process on_local_main_process".split()  # noqa: SIM905
)
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_HARMLESS = frozenset(("print", "info", "debug", "warning", "append", "len", "str", "format"))

_ONLY_SOME = Text(
    "{call} under `if {test}:` (line {line}): the other ranks do not call it",
    "{call} 位于 `if {test}:`（第 {line} 行）之内：其他 rank 不会调用它",
)
_BY_CALLERS = Text(
    "{call} in {function}(), which is called under `if {test}:` (line {line}) alone: the other ranks "
    "do not call it",
    "{call} 位于 {function}() 之中，而它只在 `if {test}:`（第 {line} 行）之内被调用：其他 rank 不会调用它",
)
_BY_DECORATOR = Text(
    "{call} in {function}(), which @{decorator} runs on one rank alone: the other ranks do not call it",
    "{call} 位于 {function}() 之中，而 @{decorator} 使它只在一个 rank 上运行：其他 rank 不会调用它",
)
_ALL_WRITE = Text(
    "every rank writes {path}: nothing around it, or in the name, tells the ranks apart",
    "每个 rank 都会写 {path}：它的外层判断和文件名都没有区分 rank",
)


def collectives(code: Code) -> Iterator[Fault]:
    """Collectives in a branch for certain ranks, without one of the kind for the others."""
    ranks = Ranks(code)
    for call in collective_calls(code):
        guard = next((one for one in _ifs(code, call) if ranks.chooses(one.test)), None)
        if guard is None and not among_some(call):
            yield from _by_function(code, call, ranks)
        if guard is None or not _inside(code, call, guard.body) or among_some(call):
            continue
        between = (one for one in _ifs(code, call) if at(one) > at(guard))
        if any(ranks.mentions(one.test) or ranks.of_the_world(one.test) for one in between):
            continue
        if others_have_a_way(guard) or _met_elsewhere(code, call, guard, ranks):
            continue
        name = f"{dotted(call.func)}()"
        values = {"call": name, "test": ast.unparse(guard.test), "line": guard.lineno}
        yield Fault(EXTRA, _ONLY_SOME.fill(values), call)


def _by_function(code: Code, call: ast.Call, ranks: Ranks) -> Iterator[Fault]:
    """A collective that stands free in a function which only one rank runs."""
    function = code.function(call)
    if not isinstance(function, ast.FunctionDef) or _may_be_met(code, call, function, ranks):
        return
    values = {"call": f"{dotted(call.func)}()", "function": function.name}
    for one in function.decorator_list:
        if last(one) in _ON_ONE:
            values["decorator"] = ast.unparse(one)
            yield Fault(EXTRA, _BY_DECORATOR.fill(values), call)
            return
    guard = None if function.decorator_list else _guard_of_calls(code, function, ranks)
    if guard is not None:
        where = {"test": ast.unparse(guard.test), "line": guard.lineno}
        yield Fault(EXTRA, _BY_CALLERS.fill({**values, **where}), call)


def _may_be_met(code: Code, call: ast.Call, function: ast.FunctionDef, ranks: Ranks) -> bool:
    """Whether a condition in the function speaks of ranks, or another call of the kind stands
    elsewhere, which some ranks may come to and the others not.
    """
    tests = [one.test for one in ast.walk(function) if isinstance(one, ast.If)]
    if any(ranks.mentions(one) or ranks.of_the_world(one) for one in tests):
        return True
    kind = [other for other in code.calls if last(other.func) == last(call.func)]
    elsewhere = [other for other in kind if code.function(other) is not function]
    if last(call.func) in ("barrier", "wait_for_everyone"):
        return bool(elsewhere)  # ranks may take turns with them
    return any(not _of_all(code, other, ranks) for other in elsewhere)


def _of_all(code: Code, call: ast.Call, ranks: Ranks) -> bool:
    """Whether every rank comes to a call: it meets those of the others there, and nowhere else."""
    if any(ranks.mentions(one.test) for one in _ifs(code, call)):
        return False
    function = code.function(call)
    leaves = (n for n in ast.walk(function) if isinstance(n, ast.If) and at(n) < at(call))
    if any(ranks.mentions(one.test) and _leaving(one) for one in leaves):
        return False
    return isinstance(function, ast.Module) or not _of_some(code, function, ranks)


def _guard_of_calls(code: Code, function: ast.FunctionDef, ranks: Ranks) -> ast.If | None:
    """The branch for certain ranks that the only call of a function stands in; None where it is
    called elsewhere, too, is handed on, or where the others have a way of their own.
    """
    named = [
        node
        for node in ast.walk(code.tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and last(node) == function.name
    ]
    if len(named) != 1 or not isinstance(code.parents[function], ast.Module):
        return None
    use = code.parents[named[0]]
    if not isinstance(use, ast.Call) or use.func is not named[0]:
        return None
    guard = next((one for one in _ifs(code, use) if ranks.chooses(one.test)), None)
    if guard is None or not _inside(code, use, guard.body) or others_have_a_way(guard):
        return None
    between = (one for one in _ifs(code, use) if at(one) > at(guard))
    spoken = any(ranks.mentions(one.test) or ranks.of_the_world(one.test) for one in between)
    return None if spoken else guard


def collective_calls(code: Code) -> Iterator[ast.Call]:
    modules = set(_names_of_distributed(code))
    accelerators = {
        name
        for name, nodes in code.assigned.items()
        if all(isinstance(n.value, ast.Call) and last(n.value.func) == "Accelerator" for n in nodes)
    }
    for call in sorted(code.calls, key=at):
        module, _, name = dotted(call.func).rpartition(".")
        if (module in modules and name in _COLLECTIVES) or (
            module in accelerators and name in _OF_ACCELERATE
        ):
            yield call


def among_some(call: ast.Call) -> bool:
    """Whether a collective names the group that it is for."""
    given = [*call.args, *call.keywords]
    words = any(_PARTS.search(ast.unparse(one)) for one in given)
    return words or (last(call.func) == "barrier" and bool(given)) or len(call.args) > 2


def _names_of_distributed(code: Code) -> Iterator[str]:
    """The names under which ``torch.distributed`` is known here."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name == "torch.distributed":
                    yield one.asname or one.name
                elif one.name == "torch":
                    yield f"{one.asname or 'torch'}.distributed"
        elif isinstance(node, ast.ImportFrom) and node.module == "torch":
            yield from (o.asname or o.name for o in node.names if o.name == "distributed")


def _ifs(code: Code, node: ast.AST) -> Iterator[ast.If]:
    """The conditions around a node in its own function, the nearest first."""
    return (one for one in code.around(node) if isinstance(one, ast.If))


def _inside(code: Code, node: ast.AST, body: list[ast.stmt]) -> bool:
    return any(one in body for one in (node, *code.above(node)))


def others_have_a_way(guard: ast.If) -> bool:
    """Whether the other ranks may meet in what stands in the other branch, or behind a return."""
    calls = [call for one in guard.orelse for call in calls_in(one)]
    leaves = any(isinstance(one, _LEAVES) for one in guard.body)
    ends = isinstance(guard.body[-1], ast.Expr) and "exit" in ast.unparse(guard.body[-1])
    return leaves or ends or any(last(call.func) not in _HARMLESS for call in calls)


def _met_elsewhere(code: Code, call: ast.Call, guard: ast.If, ranks: Ranks) -> bool:
    """Whether a collective of the kind stands in a branch of other ranks, or in a function that
    may be theirs alone."""
    for other in code.calls:
        if other is call or last(other.func) != last(call.func):
            continue
        around = [one for one in _ifs(code, other) if ranks.mentions(one.test)]
        if any(ast.unparse(one.test) != ast.unparse(guard.test) for one in around):
            return True
        if any(_inside(code, other, one.orelse) for one in around):
            return True
        function = code.function(other)
        if function is not code.function(call) and _of_some(code, function, ranks):
            return True
    return False


def _of_some(code: Code, function: ast.AST, ranks: Ranks) -> bool:
    """Whether a function is used in a branch for certain ranks, or is handed on."""
    name = getattr(function, "name", "")
    for node in ast.walk(code.tree):
        if not (isinstance(node, (ast.Name, ast.Attribute)) and last(node) == name and name):
            continue
        parent = code.parents[node]
        handed = not isinstance(parent, ast.Call) or parent.func is not node
        leaves = any(
            ranks.mentions(one.test) and _leaving(one)
            for one in ast.walk(code.function(node))
            if isinstance(one, ast.If)
        )
        if handed or leaves or any(ranks.mentions(one.test) for one in _ifs(code, node)):
            return True
    return False


# --- files ----------------------------------------------------------------------------------


def written_by_all(code: Code) -> Iterator[Fault]:
    """``torch.save`` to one path by every rank of a program that starts the process group."""
    if not any(last(call.func) in _ALL_ONES for call in code.calls):
        return
    ranks = Ranks(code)
    for call in code.calls:
        if dotted(call.func) != "torch.save" or len(call.args) != 2:
            continue
        path = call.args[1]
        if _same_everywhere(path) and _reached_by_all(code, call, ranks):
            yield Fault(RACE, _ALL_WRITE.fill(path=ast.unparse(path)), call)


def _same_everywhere(path: ast.AST) -> bool:
    """A text, or one that only the step or the epoch fills in."""
    if isinstance(path, ast.Constant):
        return isinstance(path.value, str) and not path.value.startswith(("/tmp", "/dev/"))  # noqa: S108
    if not isinstance(path, ast.JoinedStr):
        return False
    filled = [one.value for one in path.values if isinstance(one, ast.FormattedValue)]
    counts = ("step", "epoch", "global_step", "i", "it", "iteration")
    return all(isinstance(one, ast.Name) and one.id in counts for one in filled)


def _reached_by_all(code: Code, call: ast.Call, ranks: Ranks) -> bool:
    """In no branch of any kind but one by the step, in a function that is run as a whole."""
    function = code.function(call)
    if any(ranks.mentions(one.test) or not _by_step(one.test) for one in _ifs(code, call)):
        return False
    before = (n for n in ast.walk(function) if isinstance(n, ast.If) and at(n) < at(call))
    if any(ranks.mentions(one.test) and _leaving(one) for one in before):
        return False
    if isinstance(function, ast.Module):
        return True
    name = getattr(function, "name", "")
    calls = [one for one in code.calls if last(one.func) == name]
    decorated = bool(getattr(function, "decorator_list", True))
    whole = all(isinstance(code.function(one), ast.Module) for one in calls)
    free = not any(ranks.mentions(one.test) for each in calls for one in _ifs(code, each))
    return bool(calls) and not decorated and whole and free


def _leaving(node: ast.If) -> bool:
    return any(isinstance(one, _LEAVES) for one in ast.walk(node))


def _by_step(test: ast.AST) -> bool:
    return any(isinstance(one, ast.Mod) for one in ast.walk(test))
