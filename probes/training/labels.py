"""Labels that are shifted by hand for a model that shifts them itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, dotted, last

SHIFTED = "labels-shifted-twice"
_CAUSAL = ("ForCausalLM", "LMHeadModel")
_MADE = ("from_pretrained", "from_config")
# Methods that leave the tokens where they are.
_SAME = frozenset(("contiguous", "clone", "cuda", "to", "long", "detach", "cpu", "train", "half"))
_TWICE = Text(
    "{labels} is moved by one against {inputs} already, and {model} moves labels once more: it "
    "learns the token after the next",
    "{labels} 相对 {inputs} 已错开一位，{model} 内部还会再移一次：学到的是下下个 token",
)


def shifted(code: Code) -> Iterator[Fault]:
    """``model(input_ids=ids[:, :-1], labels=ids[:, 1:])`` of a causal model of transformers, whose
    loss is used (transformers ForCausalLMLoss)."""
    if ".loss" not in code.text:
        return
    for call in code.calls:
        words = {one.arg: one.value for one in call.keywords}
        labels = words.get("labels")
        inputs = words.get("input_ids") or (call.args[0] if call.args else None)
        if labels is None or inputs is None or not _is_causal(code, dotted(call.func)):
            continue
        first, second = _taken(code, inputs), _taken(code, labels)
        if first is not None and second is not None and _one_apart(first, second):
            values = {"labels": ast.unparse(second), "inputs": ast.unparse(first)}
            yield Fault(SHIFTED, _TWICE.fill({**values, "model": dotted(call.func)}), labels)


def _is_causal(code: Code, name: str) -> bool:
    """Whether a name is a causal model of transformers, and what wraps it."""
    values = [bare(one.value) for one in code.assigned.get(name, ())]
    made = [one for one in values if _makes(one)]
    wraps = [
        one
        for one in values
        if isinstance(one, ast.Call) and name in {dotted(given) for given in one.args}
    ]
    return bool(made) and len(made) + len(wraps) == len(values)


def _makes(value: ast.AST) -> bool:
    if not isinstance(value, ast.Call) or last(value.func) not in _MADE:
        return False
    owner = dotted(value.func).split(".")[-2:-1]
    return bool(owner) and owner[0].endswith(_CAUSAL)


def bare(node: ast.AST) -> ast.AST:
    """Without the methods that only move or copy."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _SAME
    ):
        node = node.func.value
    return node


def _taken(code: Code, node: ast.AST) -> ast.Subscript | None:
    """The part of a tensor that is given, through one name."""
    node = bare(node)
    found = code.assigned.get(dotted(node), ())
    if len(found) == 1:
        target, value = found[0].targets[0], found[0].value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            names = [dotted(one) for one in target.elts]
            value = value.elts[names.index(dotted(node))]
        node = bare(value)
    return node if isinstance(node, ast.Subscript) else None


def _one_apart(inputs: ast.Subscript, labels: ast.Subscript) -> bool:
    """``x[:, :-1]`` and ``x[:, 1:]`` of the same x."""
    same = ast.unparse(bare(inputs.value)) == ast.unparse(bare(labels.value))
    parts = (ast.unparse(inputs.slice).strip("()"), ast.unparse(labels.slice).strip("()"))
    return same and parts in ((":, :-1", ":, 1:"), ("..., :-1", "..., 1:"))
