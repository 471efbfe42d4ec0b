"""Labels that a collator lays out for a model that moves and masks them: where they begin, and
with what it fills them."""

from __future__ import annotations

import ast

from .code import Code, dotted, last
from .flow import own_nodes
from .labels import bare

_AHEAD = ("1:", ":, 1:", "..., 1:")
_JOINS = frozenset(("cat", "concat", "concatenate", "hstack"))
_FILLED, _STACKED = frozenset(("full", "full_like")), frozenset(("pad_sequence",))


def moved_ahead(code: Code, node: ast.Assign) -> ast.AST | None:
    """The tokens of ``labels = torch.cat([labels[:, 1:], filler], 1)``, ``labels[1:] + [-100]`` and
    ``F.pad(labels[:, 1:], (0, 1))``: all are one to the left, with something behind. None where
    others of the same function are moved alike, as inputs that lose their first token are."""
    part = _first(bare(node.value))
    if part is None:
        return None
    function = code.function(node)
    parts = [_first(bare(n.value)) for n in own_nodes(function) if isinstance(n, ast.Assign)]
    others = {ast.unparse(one.value) for one in parts if one is not None}
    return part.value if len(others) == 1 else None


def _first(value: ast.AST) -> ast.Subscript | None:
    """The part from the second token on that something is put behind."""
    part: ast.AST | None = None
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        part = value.left if isinstance(value.right, (ast.List, ast.BinOp)) else None
    elif isinstance(value, ast.Call) and value.args:
        given = value.args[0]
        if last(value.func) in _JOINS and isinstance(given, (ast.List, ast.Tuple)):
            part = given.elts[0] if len(given.elts) == 2 else None
        elif last(value.func) == "pad" and len(value.args) > 1:
            part = given if ast.unparse(value.args[1]) == "(0, 1)" else None
    part = bare(part) if part is not None else None
    ahead = isinstance(part, ast.Subscript) and ast.unparse(part.slice).strip("()") in _AHEAD
    return part if ahead and isinstance(part, ast.Subscript) else None


def filled(code: Code, value: ast.AST) -> tuple[str, ast.Call] | None:
    """(the id, the call) of labels that are laid out full of the padding id, ``torch.full(size,
    tok.pad_token_id)``, or padded with it, ``pad_sequence(rows, padding_value=tok.pad_token_id)``;
    None where anything may put another number into them."""
    name = dotted(value)
    function = code.function(value)
    made = [
        n.value
        for n in own_nodes(function)
        if isinstance(n, ast.Assign) and name in {dotted(one) for one in n.targets}
    ]
    laid: list[ast.AST] = [*made] if name else [value]
    call = bare(laid[0]) if len(laid) == 1 else None
    if not isinstance(call, ast.Call):
        return None
    words = {w.arg: w.value for w in call.keywords}
    given = None
    if last(call.func) in _FILLED:
        given = call.args[1] if len(call.args) > 1 else words.get("fill_value")
    elif last(call.func) in _STACKED:
        given = words.get("padding_value")
    text = ast.unparse(given) if given is not None else ""
    return (text, call) if text.endswith(("pad_token_id", "pad_id", "PAD_ID")) else None
