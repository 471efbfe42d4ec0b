"""A model that another one takes the place of once its optimizer is built."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Optimizer, at, calls_in, dotted, last

NOT_STEPPED = "optimizer-not-stepped"
_WRAPS_IN_PLACE = frozenset(
    """
    DDP DistributedDataParallel DataParallel FSDP FullyShardedDataParallel ModelEMA AveragedModel
    """.split()  # noqa: SIM905
)
_OTHER_MODEL = Text(
    "{model} is replaced here, but {optimizer} (line {line}) holds the parameters that it had before",
    "{model} 在这里被替换，而 {optimizer}（第 {line} 行）持有的仍是替换前的参数",
)


def replaced(code: Code) -> Iterator[Fault]:
    """``model`` is set anew between its optimizer and the loop that trains it."""
    if "add_param_group" in code.text:
        return
    for optimizer in code.optimizers:
        for node in code.assigned.get(optimizer.model, ()):
            if at(node) < at(optimizer.node) or not _reached(code, node, optimizer.node):
                continue
            if code.before_training(node) and _another(code, optimizer, node):
                line = optimizer.node.lineno
                what = _OTHER_MODEL.fill(model=optimizer.model, optimizer=optimizer.name, line=line)
                yield Fault(NOT_STEPPED, what, node)


def _reached(code: Code, node: ast.Assign, before: ast.Assign) -> bool:
    """Whether a place follows another in its list, or in a branch that stands there: the fault is
    that of the branch, whenever it is taken."""
    around, here = code.block(before), code.block(node)
    if here == around:
        return True
    owner = here[0]
    return isinstance(owner, ast.If) and at(owner) > at(before) and code.block(owner) == around


def _another(code: Code, optimizer: Optimizer, node: ast.Assign) -> bool:
    """Whether an assignment gives the name other parameters: a model that is loaded or built
    again, or a wrapper that makes its own."""
    value = node.value
    if not isinstance(value, ast.Call):
        return False
    if last(value.func) == "from_pretrained":
        return True
    if optimizer.model in {dotted(arg) for arg in value.args}:
        shards = last(value.func) in ("FSDP", "FullyShardedDataParallel")
        keeps = any(word.arg in ("use_orig_params", None) for word in value.keywords)
        return last(value.func) == "get_peft_model" or (shards and not keeps)
    mentioned = {dotted(n) for n in ast.walk(value) if isinstance(n, (ast.Name, ast.Attribute))}
    before = [n.value for n in code.assigned[optimizer.model] if at(n) < at(optimizer.node)]
    built = {name for one in before for name in _classes(one)}
    return optimizer.model not in mentioned and bool(built & _classes(value))


def _classes(value: ast.AST) -> set[str]:
    """The classes of models that are built in an expression, by the name with a capital."""
    names = {last(call.func) for call in calls_in(value)}
    return {name for name in names if name[:1].isupper()} - _WRAPS_IN_PLACE
