"""Dropout that stays on in evaluation, and layers that a model does not know as its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, at, dotted, last
from .flow import without_gradients

MODE, UNTRAINED = "model-in-other-mode", "nothing-is-trained"
_FUNCTION = Text(
    "{call} does not ask whether the model trains: the dropout stays on in evaluation",
    "{call} 没有判断模型是否在训练：评测时 dropout 仍然开着",
)
_NO_EVAL = Text(
    "{model} is evaluated here, and nothing calls {model}.eval(): {layer} (line {line}) works as in "
    "training",
    "这里在评测 {model}，却没有任何地方调用 {model}.eval()：{layer}（第 {line} 行）仍按训练方式工作",
)
_LIST = Text(
    "{name} is a plain Python list: its layers are no part of the model, neither parameters(), "
    "state_dict() nor .to() has them",
    "{name} 是普通的 Python 列表：其中的层不属于模型，parameters()、state_dict() 和 .to() 里都没有",
)
_ALWAYS = ("dropout", "dropout1d", "dropout2d", "alpha_dropout", "feature_alpha_dropout")
_MODAL = frozenset(("Dropout", "Dropout2d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"))
_KEEPS = ("ModuleList", "Sequential", "ModuleDict")


def modes(code: Code) -> Iterator[Fault]:
    if not any(last(call.func) == "backward" for call in code.calls):
        return
    yield from _functional(code)
    yield from _never_evaluates(code)
    yield from _lists(code)


def _functional(code: Code) -> Iterator[Fault]:
    """``F.dropout(x, 0.1)`` and ``dropout_p=0.1`` of attention in a program that evaluates (PyTorch:
    ``training`` defaults to True; scaled_dot_product_attention always applies ``dropout_p``)."""
    if "no_grad" not in code.text and ".eval()" not in code.text:
        return
    for call in sorted(code.calls, key=at):
        words = {word.arg: word.value for word in call.keywords}
        functional = dotted(call.func) in {
            f"{owner}.{name}" for owner in ("F", "nn.functional") for name in _ALWAYS
        }
        always = functional and "training" not in words and len(call.args) < 3
        if last(call.func) == "scaled_dot_product_attention":
            given = words.get("dropout_p")
            always = isinstance(given, ast.Constant) and bool(given.value)
        asked = any(
            isinstance(n, ast.If) and "training" in ast.unparse(n.test) for n in code.around(call)
        )
        forward = getattr(code.function(call), "name", "") == "forward"
        zero = (
            len(call.args) > 1 and isinstance(call.args[1], ast.Constant) and not call.args[1].value
        )
        if always and forward and not asked and not zero:
            yield Fault(MODE, _FUNCTION.fill(call=f"{dotted(call.func)}()"), call)
            return


def _never_evaluates(code: Code) -> Iterator[Fault]:
    """A model with dropout or BatchNorm that is run under no_grad, in a program without ``eval()``."""
    if ".eval()" in code.text or ".train(False)" in code.text or "set_grad_enabled" in code.text:
        return
    layers = [c for c in code.calls if last(c.func) in _MODAL and not _is_zero(c)]
    for optimizer in code.optimizers if layers else ():
        for call in sorted(code.calls, key=at):
            if dotted(call.func) == optimizer.model and without_gradients(code, call):
                values = {"model": optimizer.model, "layer": last(layers[0].func)}
                yield Fault(MODE, _NO_EVAL.fill({**values, "line": layers[0].lineno}), call)
                return


def _is_zero(call: ast.Call) -> bool:
    given = (
        call.args[0] if call.args else next((w.value for w in call.keywords if w.arg == "p"), None)
    )
    return isinstance(given, ast.Constant) and given.value == 0


def _lists(code: Code) -> Iterator[Fault]:
    """``self.blocks = [Block() for …]`` in a module, called in ``forward``."""
    classes = {n.name: n for n in ast.walk(code.tree) if isinstance(n, ast.ClassDef)}
    modules = {
        name for name, node in classes.items() if any(last(b) == "Module" for b in node.bases)
    }
    for class_ in (classes[name] for name in sorted(modules)):
        for node in sorted((n for n in ast.walk(class_) if isinstance(n, ast.Assign)), key=at):
            name = dotted(node.targets[0])
            if not name.startswith("self.") or not _of_layers(node.value, modules):
                continue
            own = ast.unparse(class_)
            kept = any(f"{keeper}({star}{name})" in own for keeper in _KEEPS for star in ("", "*"))
            registers = "add_module" in own or "register_module" in own
            if not kept and not registers and _is_run(class_, name):
                yield Fault(UNTRAINED, _LIST.fill(name=name), node)
                return


def _of_layers(value: ast.AST, modules: set[str]) -> bool:
    elements = [value.elt] if isinstance(value, ast.ListComp) else getattr(value, "elts", [])
    plain = isinstance(value, (ast.List, ast.ListComp)) and bool(elements)
    return plain and all(
        isinstance(one, ast.Call)
        and (last(one.func) in modules or dotted(one.func).startswith(("nn.", "torch.nn.")))
        and last(one.func) != "Parameter"
        for one in elements
    )


def _is_run(class_: ast.ClassDef, name: str) -> bool:
    forward = (n for n in class_.body if isinstance(n, ast.FunctionDef) and n.name == "forward")
    return any(name in ast.unparse(one) for one in forward)
