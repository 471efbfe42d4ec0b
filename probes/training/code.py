"""A Python program as the calls, optimizers and loops that a training is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from medic.i18n import Text
from medic.records import dataclass

OPTIMIZERS = frozenset(
    """
    AdamW Adam SGD Adafactor Lion RMSprop Adagrad Adamax NAdam RAdam AdamW8bit Adam8bit PagedAdamW
    PagedAdamW8bit FusedAdam DeepSpeedCPUAdam Lamb LAMB Muon
    """.split()  # noqa: SIM905
)
# What may be read of an optimizer without giving it out of hand.
_OWN = frozenset(
    ("zero_grad", "step", "param_groups", "state_dict", "load_state_dict", "state", "defaults")
)
# What a function may ask of one that it only saves or prints.
_ASKED = frozenset(("param_groups", "state_dict", "load_state_dict", "state", "defaults"))
Loop = ast.For | ast.While
Function = ast.FunctionDef | ast.AsyncFunctionDef


def dotted(node: ast.AST | None) -> str:
    """``a.b.c`` of names and attributes; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        above = dotted(node.value)
        return f"{above}.{node.attr}" if above else ""
    return ""


def last(node: ast.AST | None) -> str:
    """The last name of what is called: ``AdamW`` of ``torch.optim.AdamW``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Every call at or below a node."""
    return (n for n in ast.walk(node) if isinstance(n, ast.Call))


@dataclass(frozen=True)
class Optimizer:
    """An optimizer of all parameters of one model, by the names of both."""

    name: str
    model: str
    node: ast.Assign


@dataclass(frozen=True)
class Fault:
    """The check, what is wrong, and the node that shows it."""

    name: str
    what: Text
    node: ast.AST


class Code:
    """One module. Nothing of it is run."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self.tree = tree
        self.text = text

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {c: node for node in ast.walk(self.tree) for c in ast.iter_child_nodes(node)}

    @cached_property
    def calls(self) -> Sequence[ast.Call]:
        return list(calls_in(self.tree))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is around a node, the nearest first."""
        while (found := self.parents.get(node)) is not None:
            yield found
            node = found

    def straight(self, loop: Loop, node: ast.AST) -> bool:
        """Whether every round of a loop comes to a node: it stands in the loop's own body, or in
        that of a ``with`` in it."""
        for one in self.above(node):
            if one is loop:
                return True
            if isinstance(one, (ast.If, ast.Try, ast.For, ast.While)):
                return False
        return False

    def function(self, node: ast.AST) -> ast.AST:
        """The function around a node, or the module."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
        return next(one for one in self.above(node) if isinstance(one, kinds))

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is around a node in its own function, the nearest first."""
        ends = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
        return takewhile(lambda one: not isinstance(one, ends), self.above(node))

    def loops(self, node: ast.AST) -> list[Loop]:
        """The loops around a node in its own function, the innermost first."""
        return [one for one in self.around(node) if isinstance(one, (ast.For, ast.While))]

    def block(self, node: ast.AST) -> tuple[ast.AST, str]:
        """(the statement whose list it stands in, which of its lists)."""
        statement = node
        for one in self.above(node):
            for name in ("body", "orelse", "finalbody"):
                found = getattr(one, name, None)
                if isinstance(found, list) and statement in found:
                    return one, name
            statement = one
        return self.tree, "body"

    @cached_property
    def assigned(self) -> dict[str, list[ast.Assign]]:
        """Every plain assignment of a name."""
        found: dict[str, list[ast.Assign]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    for one in target.elts if isinstance(target, ast.Tuple) else (target,):
                        found.setdefault(dotted(one), []).append(node)
        return found

    @cached_property
    def optimizers(self) -> list[Optimizer]:
        """Those of one model's parameters, also in groups, that are set once, under a name of
        their own."""
        found = []
        for name, nodes in self.assigned.items():
            value = nodes[0].value
            if len(nodes) != 1 or "." in name or not isinstance(value, ast.Call):
                continue
            given = value.args[:1] or [w.value for w in value.keywords if w.arg == "params"]
            if last(value.func) in OPTIMIZERS and given:
                models = self._whose(given[0])
                if len(models) == 1 and models != {""}:
                    found.append(Optimizer(name, models.pop(), nodes[0]))
        return found

    def _whose(self, given: ast.AST) -> set[str]:
        """The models whose ``parameters()`` stand in what is given, or in the lists that it names;
        "" for one without a name."""
        named = [n.id for n in ast.walk(given) if isinstance(n, ast.Name)]
        lists = [self.assigned[name][0].value for name in named if self._is_list(name)]
        return {
            dotted(call.func.value)
            for node in (given, *lists)
            for call in calls_in(node)
            if isinstance(call.func, ast.Attribute)
            and call.func.attr in ("parameters", "named_parameters")
        }

    def _is_list(self, name: str) -> bool:
        """Whether a name is set once, to a list, or to what a list is made of."""
        nodes = self.assigned.get(name, ())
        kinds = (ast.List, ast.ListComp, ast.GeneratorExp, ast.Call)
        return len(nodes) == 1 and isinstance(nodes[0].value, kinds)

    @cached_property
    def backwards(self) -> list[ast.Call]:
        """``loss.backward()`` in a loop; empty where a library does it (``engine.backward(loss)``)."""
        found = [call for call in self.calls if last(call.func) == "backward"]
        managed = any(call.args for call in found) or "manual_backward" in self.text
        return [] if managed else [call for call in found if self.loops(call)]

    @cached_property
    def training_loops(self) -> Sequence[Loop]:
        """The innermost loops around each ``backward``."""
        return list(dict.fromkeys(self.loops(call)[0] for call in self.backwards))

    def before_training(self, node: ast.AST) -> bool:
        """Whether its function trains, and a node stands above all loops that do."""
        own = [b for b in self.backwards if self.function(b) is self.function(node)]
        return bool(own) and all(at(node) < at(self.loops(b)[-1]) for b in own)

    def conditional(self, node: ast.AST) -> bool:
        """Whether a node is not reached in each round of the loop around it; True outside of one."""
        for one in self.around(node):
            if isinstance(one, (ast.For, ast.While)):
                return False
            if isinstance(one, (ast.If, ast.Try, ast.IfExp)):
                return True
        return True

    def backwards_of(self, loop: Loop) -> list[ast.Call]:
        """Those whose innermost loop it is, in the order in which they stand."""
        return sorted((c for c in self.backwards if self.loops(c)[0] is loop), key=at)

    @cached_property
    def own_gradients(self) -> bool:
        """Whether the program itself handles ``p.grad``: it may update, keep or clear by hand."""
        return any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in ast.walk(self.tree))

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """Functions of which there is one of the name."""
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
        return {name: several[0] for name, several in found.items() if len(several) == 1}

    def method(self, inside: ast.AST, name: str, *methods: str) -> list[ast.Call]:
        """The calls ``name.method()`` below a node, in the order in which they stand."""
        wanted = {f"{name}.{method}" for method in methods}
        return sorted((n for n in calls_in(inside) if dotted(n.func) in wanted), key=at)

    def uses(self, name: str) -> Iterator[ast.AST]:
        """Every place that reads a name."""
        for node in ast.walk(self.tree):
            read = isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
            if read and dotted(node) == name:
                yield node

    def in_hand(self, optimizer: Optimizer, *allowed: str) -> bool:
        """Whether only this module uses an optimizer: handed to schedulers and ``allowed`` alone."""
        for node in self.uses(optimizer.name):
            parent = self.parents[node]
            if isinstance(parent, ast.Attribute) and parent.attr in _OWN:
                continue
            call = self.parents[parent] if isinstance(parent, ast.keyword) else parent
            if isinstance(call, ast.Call) and (schedules(call) or last(call.func) in allowed):
                continue
            if isinstance(call, ast.Call) and self._only_saves(call, parent, node):
                continue
            return False
        return True

    def _only_saves(self, call: ast.Call, parent: ast.AST, node: ast.AST) -> bool:
        """Whether a function of this module asks an optimizer that it is given for its state alone."""
        own = self.functions.get(dotted(call.func))
        if own is None:
            return False
        names = [one.arg for one in (*own.args.posonlyargs, *own.args.args)]
        name = parent.arg if isinstance(parent, ast.keyword) else None
        if name is None and node in call.args and call.args.index(node) < len(names):
            name = names[call.args.index(node)]
        read = [n for n in ast.walk(own) if isinstance(n, ast.Name) and n.id == name]
        around = [self.parents[n] for n in read]
        return bool(read) and all(isinstance(p, ast.Attribute) and p.attr in _ASKED for p in around)


def schedules(call: ast.Call) -> bool:
    """Whether a call makes a learning rate scheduler."""
    name = last(call.func)
    return name.endswith(("LR", "WarmRestarts", "Plateau", "_schedule", "_scheduler")) or (
        name.startswith("get_") and "schedule" in name
    )


def at(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
