"""A loss that takes logits and is given what a softmax or a sigmoid made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, dotted, last
from .flow import PASSES, forward_of, held, owner, returned, without_gradients

PROBABILITIES = "probabilities-taken-for-logits"
_TWICE = Text(
    "{loss} applies a {function} itself, and {given} is the output of one already (line {line})",
    "{loss} 内部已含 {function}，而 {given} 已经是它的输出（第 {line} 行）",
)
_NO_LOG = Text(
    "{loss} takes log probabilities, and {given} are probabilities (line {line}): without the log the gradient "
    "nearly ends where the model is wrong",
    "{loss} 需要对数概率，而 {given} 是概率（第 {line} 行）：少了 log，模型答错时几乎没有梯度",
)
# PyTorch: CrossEntropyLoss "is expected to contain the unnormalized logits"; BCEWithLogitsLoss
# "combines a Sigmoid layer and the BCELoss". log_softmax twice is log_softmax: harmless.
_LOSSES = {
    "cross_entropy": "softmax",
    "CrossEntropyLoss": "softmax",
    "binary_cross_entropy_with_logits": "sigmoid",
    "BCEWithLogitsLoss": "sigmoid",
    "nll_loss": "softmax",
    "NLLLoss": "softmax",
}
_MAKES = {"softmax": "softmax", "Softmax": "softmax", "sigmoid": "sigmoid", "Sigmoid": "sigmoid"}
_DEPTH = 6  # names and methods that one value is read back through


def probabilities(code: Code) -> Iterator[Fault]:
    for call in sorted(code.calls, key=at):
        name, function = _loss(code, call)
        first = call.args[0] if call.args else None
        given = owner(call) if "." in dotted(call.func) else first
        if not function or given is None or not _trains(code) or without_gradients(code, call):
            continue
        made = _made(code, given, function, _DEPTH)
        if made is not None:
            values = {"loss": name, "function": function, "given": ast.unparse(given)}
            line = getattr(made, "lineno", 0)
            what = _NO_LOG if name in ("nll_loss", "NLLLoss") else _TWICE
            yield Fault(PROBABILITIES, what.fill({**values, "line": line}), call)
            return


def _trains(code: Code) -> bool:
    return any(last(call.func) == "backward" for call in code.calls) or "Trainer" in code.text


def _loss(code: Code, call: ast.Call) -> tuple[str, str]:
    """(how the loss is called, what it applies to its first argument); "" for another call."""
    name = last(call.func)
    if name in _LOSSES and name.islower():
        return name, _LOSSES[name]
    made: ast.AST = call.func  # nn.CrossEntropyLoss()(logits, labels)
    if not isinstance(made, ast.Call):
        nodes = code.assigned.get(dotted(call.func), ())
        made = nodes[0].value if len(nodes) == 1 else call
    kind = last(made.func) if isinstance(made, ast.Call) and made is not call else ""
    return (kind, _LOSSES[kind]) if kind in _LOSSES and not kind.islower() else ("", "")


def _made(code: Code, node: ast.AST, function: str, depth: int) -> ast.AST | None:
    """Where a value was made by the function, on every way that it can come."""
    if depth == 0:
        return None
    if isinstance(node, (ast.Name, ast.Attribute)):
        if isinstance(node, ast.Attribute) and node.attr in ("logits", "T", "mT"):
            return _made(code, node.value, function, depth - 1) if node.attr != "logits" else None
        found = held(code, dotted(node), node) if isinstance(node, ast.Name) else None
        return None if found is None else _of(code, found.value, function, depth, found.element)
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
        return _made(code, node.value, function, depth - 1)
    return _of(code, node, function, depth, None)


def _of(
    code: Code, node: ast.AST, function: str, depth: int, element: int | None
) -> ast.AST | None:
    if not isinstance(node, ast.Call):
        return _made(code, node, function, depth - 1) if element is None else None
    name = last(node.func)
    if _MAKES.get(name) == function or _MAKES.get(_layer(code, node.func)) == function:
        return node if element is None else None
    if element is None and name in PASSES and isinstance(node.func, ast.Attribute):
        return _made(code, node.func.value, function, depth - 1)
    return _of_model(code, dotted(node.func), function, depth, element)


def _layer(code: Code, called: ast.AST) -> str:
    """The class of what is called: of ``nn.Softmax(-1)(x)``, and of ``self.softmax(x)``."""
    if isinstance(called, ast.Call):
        return last(called.func)
    nodes = code.assigned.get(dotted(called), ())
    made = nodes[0].value if len(nodes) == 1 else None
    return last(made.func) if isinstance(made, ast.Call) else ""


def _of_model(
    code: Code, name: str, function: str, depth: int, element: int | None
) -> ast.AST | None:
    """A model whose last layer it is, or each ``return`` of whose ``forward`` gives it."""
    nodes = code.assigned.get(name, ())
    for node in nodes:
        for call in (n for n in ast.walk(node.value) if isinstance(n, ast.Call)):
            ends = call.args[-1:] if last(call.func) == "Sequential" else []
            if ends and isinstance(ends[0], ast.Call):
                made = _MAKES.get(last(ends[0].func)) == function and element is None
                return ends[0] if made and len(nodes) == 1 else None
    forward = forward_of(code, name)
    values = returned(forward, element) if forward is not None else []
    found = [_made(code, value, function, depth - 1) for value in values]
    return found[0] if found and all(one is not None for one in found) else None
