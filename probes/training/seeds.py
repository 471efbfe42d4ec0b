"""Weights that each rank draws for itself in a program that averages gradients by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, calls_in, dotted, last
from .ranks import Ranks

DIFFERENT = "replicas-start-differently"
_SEEDS = frozenset(("manual_seed", "set_seed", "seed_everything"))
# What gives all ranks the same weights.
_ALIKE = frozenset(
    """
    DistributedDataParallel FullyShardedDataParallel FSDP DDP fully_shard initialize Accelerator Fabric
    from_pretrained replicate distribute_module set_model_state_dict
    """.split()  # noqa: SIM905
)
_OWN_SEED = Text(
    "{model} is built (line {line}) after a seed that differs between the ranks, and nothing "
    "broadcasts its weights: only the gradients are averaged",
    "{model}（第 {line} 行）在各 rank 不同的随机种子之后创建，之后没有广播权重，只对梯度求了平均",
)


def own_start(code: Code) -> Iterator[Fault]:
    """``manual_seed(seed + rank)``, the model, and ``all_reduce(p.grad)`` of its parameters."""
    models = averaged(code)
    if not models or "broadcast" in code.text or _made_alike(code):
        return
    ranks = Ranks(code)
    for model in models:
        built = code.assigned.get(model, ())
        if not built or not isinstance(built[0].value, ast.Call):
            continue
        loads = code.method(code.tree, model, "load_state_dict")
        if any(not _conditional(code, one) for one in loads):
            continue
        seed = _seed_before(code, built[0])
        if seed is not None and _differs(ranks, seed.args[0]):
            what = _OWN_SEED.fill(model=model, line=built[0].lineno)
            yield Fault(DIFFERENT, what, seed)


def averaged(code: Code) -> set[str]:
    """By hand: the models over whose parameters a loop goes that reduces each ``grad``."""
    found = set()
    for call in code.calls:
        given = call.args[0] if call.args and last(call.func) == "all_reduce" else None
        if not any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in _below(given)):
            continue
        for loop in code.loops(call)[:1]:
            source = loop.iter if isinstance(loop, ast.For) else None
            name = dotted(source.func) if isinstance(source, ast.Call) else ""
            found |= {name.removesuffix(".parameters")} if name.endswith(".parameters") else set()
    return found


def _below(node: ast.AST | None) -> Iterator[ast.AST]:
    return ast.walk(node) if node is not None else iter(())


def _made_alike(code: Code) -> bool:
    """Whether a wrapper or a library is called that starts all ranks alike."""
    other = {
        one.asname
        for node in ast.walk(code.tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
        if one.asname and one.name in _ALIKE
    }
    return any(last(call.func) in _ALIKE | other for call in code.calls)


def _conditional(code: Code, node: ast.AST) -> bool:
    return any(isinstance(one, ast.If) for one in code.around(node))


def _seed_before(code: Code, built: ast.Assign) -> ast.Call | None:
    """The last seed that is set before the model, in the same list of statements."""
    where = code.block(built)
    seeds = [
        call
        for call in code.calls
        if last(call.func) in _SEEDS
        and call.args
        and at(call) < at(built)
        and code.function(call) is code.function(built)
    ]
    final = max(seeds, key=at, default=None)
    return final if final is not None and code.block(code.parents[final]) == where else None


def _differs(ranks: Ranks, seed: ast.AST) -> bool:
    """``seed + rank``."""
    if not isinstance(seed, ast.BinOp) or not isinstance(seed.op, (ast.Add, ast.BitXor)):
        return False
    calls = any(last(call.func) == "get_rank" for call in calls_in(seed))
    return calls or any(ranks.is_rank(one) for one in (seed.left, seed.right))
