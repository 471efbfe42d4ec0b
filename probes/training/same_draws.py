"""Batches that every rank draws at random from one seed: the draws are the same on all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from medic.i18n import Text
from medic.text.patterns import regex

from .code import Code, Fault, calls_in, dotted, last
from .ranks import Ranks
from .seeds import averaged

SAME_DATA = "ranks-read-same-data"
_ONE_SEED = Text(
    "{draw}() chooses the batch, and {seed} (line {line}) seeds it alike on every rank: all ranks draw "
    "the same samples; seed it with the rank added, behind the model's start",
    "{draw}() 选取 batch，而 {seed}（第 {line} 行）在每个 rank 上用同一个种子：各 rank 抽到的样本完全相同；"
    "应在模型初始化之后用加上 rank 的种子",
)
# What draws -> what seeds it.
_DRAWS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ["np.random.randint", "np.random.choice", "np.random.permutation"], ("np.random.seed",)
    ),
    **dict.fromkeys(
        ["torch.randint", "torch.randperm"], ("torch.manual_seed", "torch.cuda.manual_seed_all")
    ),
    **dict.fromkeys(["random.randint", "random.sample", "random.randrange"], ("random.seed",)),
}
_WRAPS = frozenset(("DDP", "DistributedDataParallel"))
# Ranks that hold parts of one model share a batch; a loader or a sampler may part the data.
_OTHERWISE = regex(
    r"(?i)tensor_?(?:model_?)?parallel|pipeline|\b[tp]p_|\bcp_|context_?parallel|DataLoader|Sampler|"
    r"split_dataset|\.shard\(|fold_in|SeedSequence|set_seed|seed_everything|accelerat"
)
_READS = frozenset(("memmap", "fromfile", "load", "loads", "read", "readlines", "read_text"))
# Where a rank may stand without a part in the data.
_ELSEWHERE = frozenset(
    """
    set_device device print info debug warning init_process_group DDP DistributedDataParallel open join
    getLogger basicConfig broadcast barrier int str format to cuda exit FileHandler Path
    """.split()  # noqa: SIM905
)


def same_draws(code: Code) -> Iterator[Fault]:
    wrapped = any(last(call.func) in _WRAPS for call in code.calls)
    if _OTHERWISE.search(code.text) or not (wrapped or averaged(code)):
        return
    draws = [
        call
        for call in code.calls
        if dotted(call.func) in _DRAWS and _in_training(code, call) and _picks(code, call)
    ]
    if not draws or _parts_by_rank(code):
        return
    draw = draws[0]
    if any(word.arg == "generator" for word in draw.keywords):
        return
    seeds = [c for c in code.calls if dotted(c.func) in _DRAWS[dotted(draw.func)]]
    if not seeds or any(not _is_one(seed) for seed in seeds):
        return
    values = {"draw": dotted(draw.func), "seed": ast.unparse(seeds[-1]), "line": seeds[-1].lineno}
    yield Fault(SAME_DATA, _ONE_SEED.fill(values), draw)


def _in_training(code: Code, call: ast.Call) -> bool:
    """Whether a call stands in the loop that trains, or in a function that is called there."""
    inside = set(code.training_loops)
    if inside.intersection(code.loops(call)):
        return True
    name = getattr(code.function(call), "name", "")
    uses = (c for c in code.calls if name and dotted(c.func) == name)
    return any(inside.intersection(code.loops(use)) for use in uses)


def _picks(code: Code, draw: ast.Call) -> bool:
    """Whether what is drawn chooses from data: windows of it (``data[i : i + T]``), or items of what
    is read from a file. A time step of diffusion chooses from a table."""
    given = next((n for n in code.above(draw) if isinstance(n, ast.Assign)), None)
    where = code.function(draw)
    names = _names_in(given.targets[0]) if given is not None else set()
    for node in ast.walk(where):
        if isinstance(node, (ast.comprehension, ast.For)) and names & _names_in(node.iter):
            names |= _names_in(node.target)
    for node in ast.walk(where):
        if isinstance(node, ast.Subscript) and names & _names_in(node.slice):
            made = [one.value for one in code.assigned.get(dotted(node.value), ())]
            read = any(last(c.func) in _READS for value in made for c in calls_in(value))
            if isinstance(node.slice, ast.Slice) or read:
                return True
    return False


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_one(seed: ast.Call) -> bool:
    """A number, or one value of a configuration: ``cfg["seed"]``, ``args.seed``, ``1337``."""
    if len(seed.args) != 1 or seed.keywords:
        return False
    value = seed.args[0]
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int)
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Name) and isinstance(value.slice, ast.Constant)
    return isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)


def _parts_by_rank(code: Code) -> bool:
    """Whether a rank may have a part in what a rank reads: anywhere but in names of files and
    devices, in what is printed, and in conditions."""
    ranks = Ranks(code)
    for node in ast.walk(code.tree):
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)) or not _is_read(node):
            continue
        if not ranks.is_rank(node) and "rank" not in last(node).lower():
            continue
        if not _stands_elsewhere(code, node):
            return True
    return False


def _is_read(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", None), ast.Store)


def _stands_elsewhere(code: Code, node: ast.AST) -> bool:
    for above in code.above(node):
        if isinstance(above, (ast.Compare, ast.FormattedValue, ast.Assign, ast.If)):
            return True
        if isinstance(above, ast.Call) and last(above.func) in _ELSEWHERE:
            return True
        if isinstance(above, (ast.BinOp, ast.Subscript, ast.Call)):
            return False
    return True
