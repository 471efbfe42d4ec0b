"""Labels that are padded with a token which the loss does not leave out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, dotted, last

PADDED = "padding-part-of-loss"
_PADS = Text(
    "{labels} is padded with {pad}, as {inputs} is, and the loss leaves out {ignored} alone: the "
    "padding counts as a target",
    "{labels} 和 {inputs} 一样用 {pad} 填充，而 loss 只忽略 {ignored}：填充也成了要预测的目标",
)
_LOSSES = ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")
_DEFAULT = -100  # torch.nn.CrossEntropyLoss


def padded_labels(code: Code) -> Iterator[Fault]:
    """``return ids + [PAD] * n, labels + [PAD] * n`` beside ``ignore_index=IGNORE``."""
    ignored = _ignored(code)
    if ignored is None:
        return
    value, written = ignored
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Tuple):
            continue
        parts = [_padded(one) for one in node.value.elts]
        if len(parts) != 2 or None in parts:
            continue
        (inputs, pad), (labels, other) = (p for p in parts if p is not None)
        number = _number(code, other)
        same = ast.unparse(pad) == ast.unparse(other) and inputs != labels
        if same and number is not None and number != value and "lab" in labels.lower():
            told = {"labels": labels, "inputs": inputs, "pad": ast.unparse(pad)}
            yield Fault(PADDED, _PADS.fill({**told, "ignored": written}), node)
            return


def _ignored(code: Code) -> tuple[int, str] | None:
    """What every loss of the program leaves out, as a number and as it is written; None where that
    is not known, or something else weighs the tokens."""
    if any(word in code.text for word in ("loss_mask", "masked_fill", "reduction='none'",
                                          'reduction="none"', "weight=")):  # fmt: skip
        return None
    found: set[tuple[int, str]] = set()
    for call in code.calls:
        if last(call.func) not in _LOSSES:
            continue
        word = next((w.value for w in call.keywords if w.arg == "ignore_index"), None)
        number = _DEFAULT if word is None else _number(code, word)
        if number is None:
            return None
        found.add((number, str(_DEFAULT) if word is None else ast.unparse(word)))
    return found.pop() if len(found) == 1 else None


def _padded(node: ast.AST) -> tuple[str, ast.AST] | None:
    """``x + [PAD] * n``: (x, PAD)."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    many = node.right
    if not isinstance(many, ast.BinOp) or not isinstance(many.op, ast.Mult):
        return None
    one = many.left if isinstance(many.left, ast.List) else many.right
    name = dotted(node.left)
    alone = isinstance(one, ast.List) and len(one.elts) == 1
    return (name, one.elts[0]) if alone and name and isinstance(one, ast.List) else None


def _number(code: Code, node: ast.AST) -> int | None:
    """A whole number that is written, or that a name was given once."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        made = code.assigned.get(dotted(node), ())
        if len(made) != 1:
            return None
        return _given(made[0], dotted(node))
    return value if type(value) is int else None


def _given(made: ast.Assign, name: str) -> int | None:
    target, value = made.targets[0], made.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        value = value.elts[[dotted(t) for t in target.elts].index(name)]
    try:
        number = ast.literal_eval(value)
    except ValueError:
        return None
    return number if type(number) is int else None
