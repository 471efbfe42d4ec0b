"""Tensors that a loop keeps together with the graph that made them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, Loop, at, calls_in, dotted, last

LEAK, EVAL = "gpu-memory-leak", "eval-or-save-peak"
_KEPT = Text(
    "{list} (line {line}) keeps {value} of each step: nothing empties it, and it is neither detached "
    "nor moved off the GPU",
    "{list}（第 {line} 行）保留了每一步的 {value}：从不清空，也没有 detach 或移出 GPU",
)
_GRAPHS = Text(
    "{function}() runs the model without torch.no_grad(), and {kept} keeps {value} with its graph: "
    "the activations of every batch stay until it ends",
    "{function}() 没有在 torch.no_grad() 下运行模型，而 {kept} 保留了带计算图的 {value}："
    "所有 batch 的激活都要到函数结束才释放",
)
_OFF = ("no_grad", "inference_mode", "set_grad_enabled", "enable_grad")
_LOSSES = frozenset(
    "cross_entropy CrossEntropyLoss criterion loss_fn loss_function mse_loss nll_loss".split()  # noqa: SIM905
)
# What stays in the graph of the model's output.
_SAME = frozenset(
    """
    float view reshape cpu to cuda contiguous transpose permute squeeze unsqueeze flatten half bfloat16
    mean sum log_softmax softmax clone
    """.split()  # noqa: SIM905
)


def kept(code: Code) -> Iterator[Fault]:
    yield from _in_training(code)
    yield from _in_evaluation(code)


# --- training -------------------------------------------------------------------------------


def _in_training(code: Code) -> Iterator[Fault]:
    """The output of the model, put into a list that was made before all loops."""
    models = {one.model for one in code.optimizers}
    for loop in code.training_loops:
        made = _outputs(loop, models)
        for call in calls_in(loop):
            if not dotted(call.func).endswith(".append") or len(call.args) != 1:
                continue
            name = dotted(call.func).removesuffix(".append")
            value = _of(call.args[0], made)
            if value and not code.conditional(call) and _only_grows(code, name, call):
                line = code.assigned[name][0].lineno
                yield Fault(LEAK, _KEPT.fill(list=name, line=line, value=value), call)
                return


def _outputs(loop: Loop, models: set[str]) -> set[str]:
    """The names that hold what the model gave."""
    return {
        dotted(target)
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if dotted(node.value.func) in models
        for one in node.targets
        for target in (one.elts if isinstance(one, ast.Tuple) else (one,))
    } - {""}


def _of(node: ast.AST, made: set[str]) -> str:
    """A name of these as it stands, alone, in a pair, or by an attribute; no call of it."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return next((found for one in node.elts if (found := _of(one, made))), "")
    if isinstance(node, ast.Attribute) and node.attr in ("logits", "hidden_states"):
        return ast.unparse(node) if dotted(node.value) in made else ""
    return node.id if isinstance(node, ast.Name) and node.id in made else ""


def _only_grows(code: Code, name: str, call: ast.Call) -> bool:
    """Whether a list is made once, outside of all loops, and nothing takes from it."""
    made = code.assigned.get(name, ())
    if len(made) != 1 or not isinstance(made[0].value, ast.List) or "." in name:
        return False
    if code.loops(made[0]) or code.function(made[0]) is not code.function(call):
        return False
    for use in code.uses(name):
        parent = code.parents[use]
        takes = isinstance(parent, ast.Attribute) and parent.attr != "append"
        if takes or isinstance(parent, (ast.Call, ast.Delete, ast.Subscript)):
            return False  # a function may empty it, and who reads its last does it on purpose
    return not any(
        isinstance(n, ast.Delete) and name in ast.unparse(n) for n in ast.walk(code.tree)
    )


# --- evaluation -----------------------------------------------------------------------------


def _in_evaluation(code: Code) -> Iterator[Fault]:
    """A function that evaluates a model, and that the training of this module calls."""
    for function in code.functions.values():
        models = {
            dotted(call.func).removesuffix(".eval")
            for call in calls_in(function)
            if dotted(call.func).endswith(".eval") and not call.args
        }
        own = ast.unparse(function)
        if not models or any(word in own for word in (*_OFF, ".backward(")):
            continue
        if not _called_with_gradients(code, function):
            continue
        for loop in (n for n in ast.walk(function) if isinstance(n, (ast.For, ast.While))):
            found = _keeps(loop, _grown(loop, models), models)
            if found:
                what, value, node = found
                values = {"function": function.name, "kept": what, "value": value}
                yield Fault(EVAL, _GRAPHS.fill(values), node)
                break


def _called_with_gradients(code: Code, function: ast.FunctionDef) -> bool:
    """Whether all that uses a function is a call of it, one of them in a loop, none without
    gradients."""
    if "set_grad_enabled" in code.text or not code.backwards:
        return False
    uses = list(code.uses(function.name))
    looped = False
    for use in uses:
        call = code.parents[use]
        if not isinstance(call, ast.Call) or call.func is not use:
            return False
        outer = code.function(call)
        around = [
            ast.unparse(i) for w in code.above(call) if isinstance(w, ast.With) for i in w.items
        ]
        marks = [ast.unparse(one) for one in getattr(outer, "decorator_list", ())]
        if any(word in text for text in (*around, *marks) for word in _OFF):
            return False
        looped = looped or bool(code.loops(call))
    return looped and isinstance(code.parents[function], ast.Module)


def _grown(loop: Loop, models: set[str]) -> set[str]:
    """The names in a loop that hold an output of the model, or what has its graph."""
    found: set[str] = set()
    for _ in range(3):
        for node in ast.walk(loop):
            if isinstance(node, ast.Assign) and _has_graph(node.value, found, models):
                targets = [t for one in node.targets for t in _names(one)]
                found |= {name for name in targets if name}
    return found


def _names(target: ast.AST) -> Iterator[str]:
    for one in target.elts if isinstance(target, ast.Tuple) else (target,):
        yield dotted(one) if isinstance(one, ast.Name) else ""


def _has_graph(node: ast.AST, grown: set[str], models: set[str]) -> bool:
    """Whether a value is an output of the model, its loss, or made of them by what keeps the graph."""
    if isinstance(node, ast.Name):
        return node.id in grown
    if isinstance(node, ast.Attribute):
        return node.attr in ("loss", "logits") and _has_graph(node.value, grown, models)
    if isinstance(node, ast.BinOp):
        return any(_has_graph(one, grown, models) for one in (node.left, node.right))
    if not isinstance(node, ast.Call):
        return False
    if dotted(node.func) in models:
        return True
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if last(node.func) in _LOSSES:
        return any(_has_graph(one, grown, models) for one in node.args)
    return last(node.func) in _SAME and owner is not None and _has_graph(owner, grown, models)


def _keeps(loop: Loop, grown: set[str], models: set[str]) -> tuple[str, str, ast.AST] | None:
    """(what keeps it, the value, where): a list, or a sum of tensors."""
    set_ = (n for n in ast.walk(loop) if isinstance(n, ast.Assign))
    anew = {name for n in set_ for target in n.targets for name in _names(target)}
    for node in sorted((n for n in ast.walk(loop) if hasattr(n, "lineno")), key=at):
        where, value = _into(node)
        if where.split("[")[0] in anew:
            continue  # made for each batch
        if where and value is not None and _has_graph(value, grown, models):
            return where, _short(value), node
    return None


def _into(node: ast.AST) -> tuple[str, ast.AST | None]:
    """(what is added to, what is added): of ``x.append(y)`` and ``x += y``."""
    if isinstance(node, ast.Call) and last(node.func) == "append" and len(node.args) == 1:
        return dotted(node.func).removesuffix(".append"), node.args[0]
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return ast.unparse(node.target), node.value
    return "", None


def _short(node: ast.AST) -> str:
    return f"{last(node.func)}(…)" if isinstance(node, ast.Call) else ast.unparse(node)
