"""Targets that are the inputs themselves: both are the same part of the tokens."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from medic.i18n import Text

from .code import Code, Fault, dotted, last
from .label_pairs import meant
from .labels import bare

VISIBLE = "labels-visible-to-model"
_SAME = Text(
    "inputs and targets are both {part}: the model learns to repeat the token that it is given",
    "输入和目标都是 {part}：模型学到的是照抄当前 token，而不是预测下一个",
)
_LOSSES = ("cross_entropy", "CrossEntropyLoss")
# Programs that foretell tokens which they hide, or restore what they spoil.
_OTHERWISE = ("mask_token", "mlm", "masked_l", "bert", "autoenc", "auto_enc", "diffusion", "corrupt",
              "denois", "recon", "vae", "copy task", "copy_task", "identity", ".roll(")  # fmt: skip
# What a program for language has.
_LANGUAGE = ("vocab", "token", "logits", "n_vocab")


def same_targets(code: Code, trees: Sequence[ast.Module]) -> Iterator[Fault]:
    """``return x[:-1], x[:-1]``, of samples or batches; the loss of the program moves nothing."""
    text = code.text.lower()
    if any(word in text for word in _OTHERWISE) or not _plain_loss(trees):
        return
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        gives = [n for n in ast.walk(node) if isinstance(n, ast.Return)]
        value = gives[0].value if len(gives) == 1 else None
        if not isinstance(value, ast.Tuple) or len(value.elts) != 2:
            continue
        inputs, targets = (meant(node, one) for one in value.elts)
        apart = len({dotted(bare(one)) for one in value.elts} - {""}) == 2  # each is made by itself
        part = _cut(inputs) or (_window(code, inputs) if apart else None)
        same = part is not None and ast.unparse(inputs) == ast.unparse(targets)
        if same and not _moved_elsewhere(trees):
            yield Fault(
                VISIBLE, _SAME.fill(part=part or ""), _made(node, value.elts[1]) or gives[0]
            )


def _window(code: Code, node: ast.AST) -> str | None:
    """``data[i:i + T]`` of tokens, in whatever it is wrapped, as it is written: a stretch from a
    place that is drawn, so that no second one of the same bounds is a copy by chance."""
    if not any(word in code.text.lower() for word in _LANGUAGE):
        return None
    for one in ast.walk(node):
        cut = one.slice if isinstance(one, ast.Subscript) else None
        if not isinstance(cut, ast.Slice) or cut.lower is None or cut.upper is None:
            continue
        begin, end = ast.unparse(cut.lower), ast.unparse(cut.upper)
        if not isinstance(cut.lower, ast.Constant) and end.startswith(f"{begin} + "):
            return ast.unparse(one)
    return None


def _made(function: ast.FunctionDef, node: ast.AST) -> ast.AST | None:
    """The assignment that makes what a name of the function holds."""
    name = dotted(bare(node))
    found = [n for n in ast.walk(function)
             if isinstance(n, ast.Assign) and [dotted(t) for t in n.targets] == [name]]  # fmt: skip
    return found[0] if len(found) == 1 and name else None


def _cut(node: ast.AST) -> str | None:
    """``x[:-1]``, as it is written: all but the last token, which nobody takes for its own sake."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice).strip("()") in _BUT_LAST:
        return ast.unparse(node)
    return None


_BUT_LAST = frozenset((":-1", ":, :-1", "..., :-1"))


def _plain_loss(trees: Sequence[ast.Module]) -> bool:
    """Whether the loss is written out, and no model is given labels to move."""
    calls = [n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Call)]
    labelled = any(word.arg == "labels" for call in calls for word in call.keywords)
    return not labelled and any(last(call.func) in _LOSSES for call in calls)


def _moved_elsewhere(trees: Sequence[ast.Module]) -> bool:
    """Whether anything takes all but the first of something that may be tokens."""
    for tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Subscript) or dotted(node.value).endswith("argv"):
                continue
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(ast.unparse(one) == "1:" for one in parts):
                return True
            if isinstance(node.slice, ast.Slice) and "+ 1:" in ast.unparse(node.slice):
                return True
    return False
