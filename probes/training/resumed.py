"""A resume that brings back the weights and the step, and not the state of the optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import OPTIMIZERS, Code, Fault, calls_in, dotted, last

NOT_RESTORED = "training-state-not-restored"
_SAVED = Text(
    "the resume takes the weights and {step} from {file}, and leaves the optimizer state that is "
    "saved with them (line {line})",
    "恢复时从 {file} 读取了权重和 {step}，却没有读取同时保存的优化器状态（第 {line} 行）",
)
_NOT_SAVED = Text(
    "the resume takes the weights and {step} from {file}; the state of the optimizer is not saved "
    "with them (line {line})",
    "恢复时从 {file} 读取了权重和 {step}；保存时（第 {line} 行）没有保存优化器状态",
)
_OPTIMIZER = ("opt",)  # in the name of an optimizer, or of its key
_LOADS = ("load", "torch.load")


def resumed(code: Code) -> Iterator[Fault]:
    """Nothing of the program loads the state of an optimizer, and its loop goes on at the step
    of a file."""
    saved = _saved(code)
    if not saved or not _has_optimizer(code) or _loads_optimizer(code):
        return
    for name, nodes in code.assigned.items():
        made = nodes[0].value
        if len(nodes) != 1 or not isinstance(made, ast.Call) or dotted(made.func) != "torch.load":
            continue
        if _handed_on(code, name):
            continue  # what a function does with it is not known
        loads = [c for c in _weight_loads(code) if _reads(c, name)]
        step = _continues(code, name)
        if len(loads) != 1 or not step or not code.before_training(loads[0]):
            continue
        holds = any(_is_optimizer(key) for _, keys in saved for key in keys)
        values = {"step": step, "file": name, "line": saved[0][0].lineno}
        yield Fault(NOT_RESTORED, (_SAVED if holds else _NOT_SAVED).fill(values), loads[0])
        return


def _has_optimizer(code: Code) -> bool:
    return any(last(call.func) in OPTIMIZERS for call in code.calls)


def _is_optimizer(name: str) -> bool:
    return any(word in name.lower() for word in _OPTIMIZER)


def _saved(code: Code) -> list[tuple[ast.Call, set[str]]]:
    """Every ``torch.save`` of weights beside a step, and the keys; empty where one is not known."""
    found = []
    for call in code.calls:
        if dotted(call.func) != "torch.save" or not call.args:
            continue
        given: ast.AST = call.args[0]
        if isinstance(given, ast.Name):
            made = [n.value for n in code.assigned.get(given.id, ()) if _near(code, n, call)]
            given = made[0] if len(made) == 1 else given
        keys = _keys(given)
        if keys is None:
            return []
        if len(keys) > 1:
            found.append((call, keys))
    return found


def _near(code: Code, node: ast.AST, call: ast.AST) -> bool:
    return code.function(node) is code.function(call)


def _keys(node: ast.AST) -> set[str] | None:
    """The keys of a dictionary; none of the weights alone; None where they are not known."""
    if isinstance(node, ast.Call) and last(node.func) == "state_dict":
        return set()
    if isinstance(node, ast.Call) and dotted(node.func) == "dict" and not node.args:
        words = {word.arg for word in node.keywords}
        return {word for word in words if word} if None not in words else None
    if not isinstance(node, ast.Dict):
        return None
    values = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
    names = {value for value in values if isinstance(value, str)}
    return names if len(names) == len(values) else None


def _loads_optimizer(code: Code) -> bool:
    """Whether anything that may be an optimizer loads a state, by its name or through a loop."""
    for call in code.calls:
        if last(call.func) not in ("load_state_dict", "restore", "load_state"):
            continue
        where = dotted(getattr(call.func, "value", None))
        owner = where.rpartition(".")[2].lower()
        known = any(word in owner for word in ("model", "net", "module", "sched", "scaler", "ema"))
        if not known or _is_optimizer(where):
            return True
        if any(_is_optimizer(ast.unparse(one)) for one in call.args):
            return True
    return False


def _weight_loads(code: Code) -> Iterator[ast.Call]:
    """``model.load_state_dict()``, not that of a scheduler or a scaler."""
    for call in code.calls:
        if last(call.func) == "load_state_dict":
            owner = dotted(getattr(call.func, "value", None)).lower()
            if not any(word in owner for word in ("sched", "scaler", "ema", *_OPTIMIZER)):
                yield call


def _handed_on(code: Code, name: str) -> bool:
    for use in code.uses(name):
        parent = code.parents[use]
        if isinstance(parent, ast.Call) and use in parent.args:
            if last(parent.func) not in ("load_state_dict", "print", "len"):
                return True
        elif isinstance(parent, (ast.keyword, ast.Return, ast.Assign)):
            return True
        if isinstance(parent, ast.Subscript) and _is_optimizer(ast.unparse(parent.slice)):
            return True
        if isinstance(parent, ast.Attribute) and parent.attr != "get":
            return True
    return "get(" in code.text and any(
        _is_optimizer(ast.unparse(call)) for call in calls_in(code.tree) if _gets(call, name)
    )


def _gets(call: ast.Call, name: str) -> bool:
    return dotted(call.func) == f"{name}.get"


def _reads(call: ast.Call, name: str) -> bool:
    return any(dotted(n) == name for arg in call.args for n in ast.walk(arg))


def _continues(code: Code, name: str) -> str:
    """The name of the loop's counter that a file gives: ``step = ck["step"]``; "" if none."""
    counters = {dotted(n) for loop in _all_loops(code) for n in _counting(loop)} - {""}
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.Assign):
            continue
        read = [n for n in ast.walk(node.value) if isinstance(n, ast.Subscript)]
        if not any(dotted(one.value) == name for one in read):
            continue
        for target in node.targets:
            for one in target.elts if isinstance(target, ast.Tuple) else (target,):
                if dotted(one) in counters:
                    return dotted(one)
    return ""


def _all_loops(code: Code) -> list[ast.AST]:
    found: list[ast.AST] = []
    for call in code.backwards:
        found += code.loops(call)
    return found


def _counting(loop: ast.AST) -> Iterator[ast.AST]:
    """The names of what a loop begins at, or is tested by."""
    if isinstance(loop, ast.While):
        yield from ast.walk(loop.test)
    elif isinstance(loop, ast.For):
        for call in calls_in(loop.iter):
            if last(call.func) in ("range", "trange") and len(call.args) > 1:
                yield call.args[0]
