"""A loss, or a part of a model, that the program itself takes off the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text
from medic.records import dataclass

from .code import Code, Fault, at, calls_in, dotted, last
from .flow import PASSES, forward_of, held, own_nodes, owner, switched_off

CUT = "graph-cut-in-code"
_LOSS = Text(
    "the loss of {backward} hangs on no graph: {cut} (line {line}) leaves it",
    "{backward} 的 loss 不在计算图上：{cut}（第 {line} 行）把它摘了下来",
)
_OUTPUT = Text(
    "{part} is called here alone, and {cut} takes its output off the graph: its weights get no "
    "gradient, though {optimizer} has them",
    "{part} 只在这里被调用，而 {cut} 把它的输出摘下计算图：它的权重得不到梯度，尽管在 {optimizer} 之中",
)
# What gives a tensor, or a number, that knows nothing of how it was made.
_CUTS = frozenset(("detach", "detach_", "item", "numpy", "tolist", "argmax"))
_NEW = frozenset(("tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor"))
_LOSSES = frozenset(
    """
    cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy
    binary_cross_entropy_with_logits kl_div
    """.split()  # noqa: SIM905
)
_KEEPS = PASSES | frozenset(
    ("mean", "sum", "log_softmax", "softmax", "log", "exp", "abs", "square")
)
# Whoever means a part to stay as it is says so somewhere.
_MEANT = ("requires_grad", "freeze", "frozen", "teacher", "target", "ema", "momentum", "probe")
_DEPTH = 8


@dataclass(frozen=True)
class Cut:
    """How it is written, and where."""

    text: str
    node: ast.AST


def graphs(code: Code) -> Iterator[Fault]:
    yield from _of_losses(code)
    yield from _of_parts(code)


def _of_losses(code: Code) -> Iterator[Fault]:
    """``backward()`` of what is cut off on every way from the model."""
    for call in sorted(code.calls, key=at):
        if last(call.func) != "backward" or not isinstance(call.func, ast.Attribute):
            continue
        loss: ast.AST | None = call.args[0] if call.args else call.func.value
        if isinstance(loss, ast.Call) and last(loss.func) == "scale":
            loss = loss.args[0] if loss.args else None
        cut = _cut(code, loss, _DEPTH) if loss is not None else None
        if cut is not None:
            values = {"backward": f"{dotted(call.func) or 'backward'}()", "cut": cut.text}
            line = getattr(cut.node, "lineno", 0)
            yield Fault(CUT, _LOSS.fill({**values, "line": line}), call)
            return


def _cut(code: Code, node: ast.AST, depth: int) -> Cut | None:
    """Where a value left the graph; None where a way may go on, or is not known."""
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        found = held(code, node.id, node)
        if found is None:
            return None
        off = switched_off(code, found.value)
        if off is not None and off not in set(code.around(node)) and _runs(found.value):
            return Cut(ast.unparse(off.items[0]), off)
        return _cut(code, found.value, depth - 1) if found.element is None else None
    if isinstance(node, ast.Attribute):
        if node.attr == "data":
            return Cut(ast.unparse(node), node)
        return _cut(code, node.value, depth - 1) if node.attr in ("logits", "loss") else None
    if isinstance(node, ast.BinOp):
        return _of_both(code, node, depth)
    if isinstance(node, ast.UnaryOp):
        return _cut(code, node.operand, depth)
    return _of_call(code, node, depth) if isinstance(node, ast.Call) else None


def _of_both(code: Code, node: ast.BinOp, depth: int) -> Cut | None:
    """Two sides that are cut, or one of them and a number."""
    cuts = [_cut(code, one, depth - 1) for one in (node.left, node.right)]
    numbers = [isinstance(one, ast.Constant) for one in (node.left, node.right)]
    whole = all(cut is not None or number for cut, number in zip(cuts, numbers, strict=True))
    return next((one for one in cuts if one is not None), None) if whole else None


def _of_call(code: Code, node: ast.Call, depth: int) -> Cut | None:
    name = last(node.func)
    given = owner(node)
    if name in _CUTS and given is not None:
        return Cut(ast.unparse(node), node)
    if name in _NEW and node.args and not isinstance(node.args[0], (ast.Constant, ast.List)):
        return Cut(ast.unparse(node), node)
    if name in ("requires_grad_", "Variable") and given is not None:
        return _cut(code, given, depth - 1)
    loss = name in _LOSSES or _is_loss(code, node)
    if loss and node.args:
        first, *others = (_cut(code, one, depth - 1) for one in node.args[:2])
        free = _constant(node.args[1]) if len(node.args) > 1 else True
        return first if first is not None and (free or others[0] is not None) else None
    return _cut(code, given, depth - 1) if name in _KEEPS and given is not None else None


def _is_loss(code: Code, call: ast.Call) -> bool:
    """``criterion(out, y)`` of an ``nn.…Loss``."""
    nodes = code.assigned.get(dotted(call.func), ())
    made = nodes[0].value if len(nodes) == 1 else None
    return isinstance(made, ast.Call) and last(made.func).endswith("Loss") and bool(call.args)


def _constant(node: ast.AST) -> bool:
    """Labels: a plain name, or a part of a batch; no output of a model."""
    return not any(True for _ in calls_in(node)) or last(getattr(node, "func", None)) in PASSES


def _runs(value: ast.AST) -> bool:
    return any(True for _ in calls_in(value))


# --- parts of a model -----------------------------------------------------------------------


def _of_parts(code: Code) -> Iterator[Fault]:
    """``h = self.encoder(x).detach()`` in a ``forward``, where nothing says that it is meant."""
    if any(word in code.text for word in _MEANT):
        return
    for optimizer in code.optimizers:
        function = forward_of(code, optimizer.model)
        for node in own_nodes(function) if function is not None else ():
            part, cut = _detached(code, node)
            if part and _once(code, part) and _is_module(code, part):
                values = {"part": part, "cut": cut, "optimizer": optimizer.name}
                yield Fault(CUT, _OUTPUT.fill(values), node)
                return


def _detached(code: Code, node: ast.AST) -> tuple[str, str]:
    """(the part, how its output is cut) of ``self.part(x).detach()``, and of ``self.part(x)``
    under ``torch.no_grad()``."""
    inner: ast.AST | None = None
    if isinstance(node, ast.Call) and last(node.func) == "detach":
        inner = getattr(node.func, "value", None)
    elif isinstance(node, ast.Attribute) and node.attr == "data":
        inner = node.value
    off = switched_off(code, node) if isinstance(node, ast.Call) else None
    called = node if off is not None else inner
    if not isinstance(called, ast.Call) or not dotted(called.func).startswith("self."):
        return "", ""
    text = ast.unparse(off.items[0]) if off is not None else f".{last(node) or 'detach()'}"
    return dotted(called.func), text


def _once(code: Code, part: str) -> bool:
    return sum(dotted(call.func) == part for call in code.calls) == 1


def _is_module(code: Code, part: str) -> bool:
    """Whether a part is made of layers: set once, to what ``nn`` makes or a class of this module."""
    nodes = code.assigned.get(part, ())
    classes = {n.name for n in ast.walk(code.tree) if isinstance(n, ast.ClassDef)}
    made = nodes[0].value if len(nodes) == 1 else None
    if not isinstance(made, ast.Call):
        return False
    return last(made.func) in classes or dotted(made.func).startswith(("nn.", "torch.nn."))
