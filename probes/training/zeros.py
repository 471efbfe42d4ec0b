"""Weights that start at zero: what no gradient can come through, and where a root has none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, calls_in, dotted, last
from .flow import PASSES, owner, without_gradients
from .undefined import UNDEFINED

START = "weights-start-at-zero"
_BOTH = Text(
    "{outer} and {inner} both start at zero (lines {first} and {second}), and one works on the other's "
    "output: the gradient of each is multiplied by the other",
    "{outer} 和 {inner} 都从 0 开始（第 {first}、{second} 行），且一个作用于另一个的输出：各自的梯度都要乘以对方",
)
_ALL = Text(
    "every parameter is set to {value}: all units of a layer compute the same, and zero lets no "
    "gradient through",
    "所有参数都设为 {value}：同层的单元算出同样的值，而 0 不让任何梯度通过",
)
_ROOT = Text(
    "{root} is taken of {weight}, which starts at zero (line {line}): the derivative of a root is "
    "infinite there, and backward gives NaN",
    "{root} 作用于 {weight}，而它从 0 开始（第 {line} 行）：根号在 0 处导数无穷大，反向得到 NaN",
)
_SETS = frozenset(("zeros_", "constant_"))


def zeros(code: Code) -> Iterator[Fault]:
    if not any(last(call.func) == "backward" for call in code.calls):
        return
    yield from _all(code)
    for class_ in (n for n in ast.walk(code.tree) if isinstance(n, ast.ClassDef)):
        yield from _both(class_)
    yield from _roots(code)


def _zeroed(node: ast.AST) -> dict[str, ast.AST]:
    """The parameters, by the layer's own name (``self.head``), that are made of zeros below a node,
    or set to zero, with nothing that sets them again behind."""
    found: dict[str, ast.AST] = {}
    for one in sorted((n for n in ast.walk(node) if isinstance(n, (ast.Assign, ast.Call))), key=at):
        if isinstance(one, ast.Assign) and len(one.targets) == 1:
            name = dotted(one.targets[0])
            if name.startswith("self."):
                found.pop(name, None)
                if _of_zeros(one.value):
                    found[name] = one
            continue
        name = _set_by(one) if isinstance(one, ast.Call) else ""
        if isinstance(one, ast.Call) and not name and _fills(one):
            found.clear()  # all of them are set again
        if name:
            found.pop(name, None)
            if _to_zero(one):
                found[name] = one
    return found


def _of_zeros(value: ast.AST) -> bool:
    """``nn.Parameter(torch.zeros(...))``"""
    if not isinstance(value, ast.Call) or last(value.func) != "Parameter" or not value.args:
        return False
    made = value.args[0]
    return isinstance(made, ast.Call) and last(made.func) in ("zeros", "zeros_like")


def _set_by(call: ast.Call) -> str:
    """What ``nn.init.…_(self.head.weight)`` or ``self.head.weight.data.zero_()`` sets: ``self.head``,
    and ``self.B`` of a parameter of its own."""
    name = last(call.func)
    if not name.endswith("_") or not isinstance(call.func, ast.Attribute):
        return ""
    from_init = dotted(call.func.value).rpartition(".")[2] == "init"
    given = (call.args[0] if call.args else None) if from_init else call.func.value
    whole = dotted(given).removesuffix(".data")
    return whole.removesuffix(".weight") if whole.startswith("self.") else ""


def _to_zero(call: ast.AST) -> bool:
    if not isinstance(call, ast.Call):
        return False
    name = last(call.func)
    value = call.args[1] if len(call.args) > 1 else None
    zero = isinstance(value, ast.Constant) and value.value == 0
    return name in ("zeros_", "zero_") or (name in ("constant_", "fill_") and zero)


def _both(class_: ast.ClassDef) -> Iterator[Fault]:
    """``self.head(self.norm(h))`` and ``x @ self.A @ self.B`` of two that start at zero."""
    made = _zeroed(class_)
    for node in ast.walk(class_):
        for outer, inner in _chained(node) if len(made) > 1 else ():
            if outer in made and inner in made and outer != inner:
                lines = {"first": made[outer].lineno, "second": made[inner].lineno}  # type: ignore[attr-defined]
                yield Fault(START, _BOTH.fill({"outer": outer, "inner": inner, **lines}), node)
                return


def _chained(node: ast.AST) -> Iterator[tuple[str, str]]:
    """(what works on an output, what made it), of layers and of matrices."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        inner = node.args[0]
        if isinstance(inner, ast.Call) and dotted(inner.func).startswith("self."):
            yield dotted(node.func), dotted(inner.func)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        left = node.left
        chain = isinstance(left, ast.BinOp) and isinstance(left.op, ast.MatMult)
        factors = [left.left, left.right] if chain and isinstance(left, ast.BinOp) else [left]
        names = [dotted(_untransposed(one)) for one in factors]
        yield from ((dotted(_untransposed(node.right)), one) for one in names)


def _untransposed(node: ast.AST) -> ast.AST:
    while True:
        if isinstance(node, ast.Call) and last(node.func) in ("t", *PASSES):
            node = getattr(node.func, "value", node.func)
        elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "weight"):
            node = node.value
        else:
            return node


def _all(code: Code) -> Iterator[Fault]:
    """``for p in model.parameters(): nn.init.zeros_(p)``, without a condition."""
    for call in code.calls:
        if last(call.func) not in _SETS or code.conditional(call):
            continue
        loop = next(iter(code.loops(call)), None)
        given = dotted(call.args[0]).removesuffix(".data") if call.args else ""
        if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
            continue
        of_all = last(loop.iter.func) == "parameters" and dotted(loop.target) == given
        again = any(last(n.func).endswith("_") and n is not call for n in calls_in(loop))
        later = [c for c in code.calls if _fills(c) and c.lineno > (loop.end_lineno or 0)]
        if of_all and not again and not later:
            value = ast.unparse(call.args[1]) if len(call.args) > 1 else "0"
            yield Fault(START, _ALL.fill(value=value), call)
            return


def _fills(call: ast.Call) -> bool:
    """What gives weights other values behind: an initialiser, a checkpoint."""
    name = last(call.func)
    return name in ("load_state_dict", "apply", "from_pretrained", "copy_") or (
        "init" in dotted(call.func) and name.endswith("_")
    )


# --- roots ----------------------------------------------------------------------------------


def _roots(code: Code) -> Iterator[Fault]:
    """``self.B.pow(2).sum().sqrt()`` of a parameter that is made of zeros: the norm of a penalty."""
    made: dict[str, ast.AST] = {}
    for class_ in (n for n in ast.walk(code.tree) if isinstance(n, ast.ClassDef)):
        made |= {name.rpartition(".")[2]: node for name, node in _zeroed(class_).items()}
    for call in sorted(code.calls, key=at):
        given = owner(call) if last(call.func) == "sqrt" else None
        weight = _squared(given) if given is not None else None
        if weight is None or last(weight) not in made or without_gradients(code, call):
            continue
        line = getattr(made[last(weight)], "lineno", 0)
        values = {"root": ast.unparse(call), "weight": ast.unparse(weight), "line": line}
        yield Fault(UNDEFINED, _ROOT.fill(values), call)
        return


def _squared(node: ast.AST) -> ast.Attribute | None:
    """The parameter of a sum of its squares, with nothing added and nothing clamped."""
    while isinstance(node, ast.Call) and last(node.func) in ("sum", "mean", "pow", "square"):
        node = owner(node) or node.func
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        node = node.left
    return node if isinstance(node, ast.Attribute) and node.attr not in ("weight", "bias") else None
