"""Which conditions of a program choose ranks."""

from __future__ import annotations

import ast
from copy import deepcopy

from medic.text.patterns import regex

from .code import Code, dotted, last

_RANKS = frozenset(("rank", "global_rank", "local_rank", "world_rank", "ddp_rank", "process_index"))
_CALLS = frozenset(("get_rank", "get_global_rank"))
_MAIN = frozenset(
    ("is_main_process", "is_local_main_process", "is_world_process_zero", "is_global_zero")
)
_VARIABLES = ("RANK", "LOCAL_RANK", "SLURM_PROCID")
# A condition that names one of these may tell ranks apart, however it is written.
_LIKE = regex(r"(?i)rank|main|master|primary|chief|leader|is_zero|process|proc_?id")
_SET_UP = regex(r"(?i)setup|set_up|init|dist")
_WORLD = regex(
    r"(?i)world|initiali[sz]ed|distributed|ddp|single|multi|n_?gpu|num_proc|available|debug"
)


class Ranks:
    """The names of one program that hold the rank, or whether this is the first."""

    def __init__(self, code: Code) -> None:
        self._code = code

    def chooses(self, test: ast.AST) -> bool:
        """Whether a condition holds on some ranks only, for certain: ``rank == 0``, alone or with
        others that say nothing of the number of processes."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            chosen = [one for one in test.values if self.chooses(one)]
            rest = [one for one in test.values if one not in chosen]
            return bool(chosen) and not any(self.of_the_world(one) for one in rest)
        return self._of_one(test) or self._named(test)

    def mentions(self, test: ast.AST) -> bool:
        """Whether a condition may tell ranks apart."""
        if "__name__" in {dotted(node) for node in ast.walk(test)}:
            return False  # whether it is run as a program
        names = (dotted(n) for n in ast.walk(test) if isinstance(n, (ast.Name, ast.Attribute)))
        return bool(_LIKE.search(ast.unparse(test))) or any(self._is_rank_name(n) for n in names)

    def of_the_world(self, test: ast.AST) -> bool:
        """Whether a condition may say that there is one process only."""
        return bool(_WORLD.search(ast.unparse(test)))

    def _of_one(self, test: ast.AST) -> bool:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return False
        number = test.comparators[0]
        whole = isinstance(number, ast.Constant) and type(number.value) is int
        same = isinstance(test.ops[0], (ast.Eq, ast.NotEq))
        return whole and same and self.is_rank(test.left)

    def is_rank(self, node: ast.AST) -> bool:
        """Whether a value is the rank among all processes, for certain."""
        if isinstance(node, ast.Call):
            return _rank_of_all(node)
        return self._is_rank_name(dotted(node))

    def _is_rank_name(self, name: str) -> bool:
        values = [_value_of(name, one) for one in self._code.assigned.get(name, ())]
        own = name.rpartition(".")[2] in _RANKS
        if any(not (_rank_of_all(value) or (own and _set_up(value))) for value in values):
            return False  # a rank of a part of the processes, or something else
        return bool(name) and (bool(values) or own)

    def _named(self, test: ast.AST) -> bool:
        """``is_main_process``, of a library or of this program's own."""
        if isinstance(test, ast.Call):
            return last(test.func) in _MAIN and not test.args
        values = [one.value for one in self._code.assigned.get(dotted(test), ())]
        if not values:
            return last(test) in _MAIN
        known = [value for value in values if self._of_one(value)]
        alone = [v for v in values if isinstance(v, ast.Constant) and v.value is True]
        return bool(known) and len(known) + len(alone) == len(values)


def _value_of(name: str, node: ast.Assign) -> ast.AST:
    """What a name is set to, of ``a, b = c, d`` too."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple):
        for one, given in zip(target.elts, _each(value), strict=False):
            if dotted(one) == name:
                return given
    return value


def _each(value: ast.AST) -> list[ast.AST]:
    """The values of a tuple, and of ``(int(os.environ[k]) for k in ("RANK", "WORLD_SIZE"))``."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return list(value.elts)
    if not isinstance(value, (ast.GeneratorExp, ast.ListComp)) or len(value.generators) != 1:
        return []
    each = value.generators[0]
    if not isinstance(each.iter, (ast.Tuple, ast.List)) or not isinstance(each.target, ast.Name):
        return []
    return [_Put(each.target.id, one).visit(deepcopy(value.elt)) for one in each.iter.elts]


class _Put(ast.NodeTransformer):
    """Puts a value in the place of a name."""

    def __init__(self, name: str, value: ast.AST) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._value if node.id == self._name else node


def _set_up(node: ast.AST) -> bool:
    """``rank, world_size = setup_distributed()``"""
    return isinstance(node, ast.Call) and _SET_UP.search(last(node.func)) is not None


def _rank_of_all(node: ast.AST) -> bool:
    """``dist.get_rank()``, or the launcher's variable: not the rank within a group."""
    if isinstance(node, ast.Call) and last(node.func) == "int" and len(node.args) == 1:
        return _rank_of_all(node.args[0])
    if isinstance(node, ast.Call):
        if last(node.func) in _CALLS:
            return not node.args and not node.keywords
        from_environment = dotted(node.func) in ("os.environ.get", "os.getenv", "environ.get")
        return from_environment and bool(node.args) and _is_variable(node.args[0])
    if isinstance(node, ast.Subscript) and dotted(node.value) in ("os.environ", "environ"):
        return _is_variable(node.slice)
    return isinstance(node, ast.Attribute) and node.attr in _RANKS


def _is_variable(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in _VARIABLES
