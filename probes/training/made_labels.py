"""Labels that a data set or a collator makes, for a model that takes ``labels``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, dotted, last
from .labels import SHIFTED, bare
from .laid_labels import filled, moved_ahead

PADDED = "padding-part-of-loss"
_LANGUAGE = ("ForCausalLM", "LMHeadModel", "ForSeq2SeqLM")
_CAUSAL = ("ForCausalLM", "LMHeadModel")
# A loss of the program's own, and labels that a library is told are moved already.
_OWN_LOSS = ("shift_labels", "compute_loss", "cross_entropy", "CrossEntropyLoss")
# What leaves the padding out, or makes the labels anew.
_MASKS = (
    "-100", "ignore_index", "IGNORE", "masked_fill", "where(", "DataCollatorForLanguageModeling",
    "DataCollatorForCompletionOnlyLM", "SFTTrainer", "label_pad", "packing",
)  # fmt: skip
_COPIES = frozenset(("list", "deepcopy", "copy", "clone", "squeeze", "tolist", "tensor", "asarray"))
_TWICE = Text(
    "{labels} is moved by one here, and {model} moves labels once more: it learns the token after "
    "the next",
    "{labels} 在这里错开了一位，而 {model} 内部还会再移一次：学到的是下下个 token",
)
_PADS = Text(
    "the labels are a copy of {inputs}, padded to max_length in line {line}, and nothing sets the "
    "padding to -100: it counts in the loss",
    "标签是 {inputs} 的副本，而它在第 {line} 行被填充到 max_length，填充处没有置为 -100：填充也计入 loss",
)
_LAID = Text(
    "the labels are filled with {pad}, and the model leaves out -100 alone: the padding counts in the "
    "loss",
    "标签用 {pad} 填充，而模型只忽略 -100：填充也计入 loss",
)
_AHEAD, _BEHIND = ("1:", ":, 1:", "..., 1:"), (":-1", ":, :-1", "..., :-1")


def made_labels(code: Code) -> Iterator[Fault]:
    """Only where the program trains a language model of transformers whose loss is its own."""
    if any(word in code.text for word in _OWN_LOSS) or not _uses_its_loss(code):
        return
    model = _model(code, _CAUSAL)
    if model:
        yield from _moved(code, model)
    if _model(code, _LANGUAGE) and not any(word in code.text for word in _MASKS):
        yield from [*_padded(code), *_laid_out(code)][:1]


def _uses_its_loss(code: Code) -> bool:
    """A Trainer, or ``model(**batch).loss``."""
    if any(last(call.func) in ("Trainer", "Seq2SeqTrainer") for call in code.calls):
        return True
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Attribute) and node.attr == "loss" and dotted(node.value) != "self":
            parent = code.parents[node]
            if not (isinstance(parent, ast.Call) and parent.func is node):
                return True
    return False


def _model(code: Code, kinds: tuple[str, ...]) -> str:
    """The class of the model of transformers that is made: ``LlamaForCausalLM(config)``,
    ``AutoModelForCausalLM.from_pretrained(name)``."""
    imported = {
        one.asname or one.name
        for node in ast.walk(code.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("transformers")
        for one in node.names
    }
    for call in code.calls:
        names = dotted(call.func).split(".")
        made = names[:-1] if names[-1] in ("from_pretrained", "from_config") else names
        known = made[:1] == ["transformers"] or (made[-1:] and made[-1] in imported)
        if known and made[-1].endswith(kinds):
            return made[-1]
    return ""


# --- labels that are moved ------------------------------------------------------------------


def _moved(code: Code, model: str) -> Iterator[Fault]:
    for node in ast.walk(code.tree):
        found = ""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            found = _moved_into(code, node)
        elif isinstance(node, ast.Dict):
            found = _moved_apart(node)
        if found:
            yield Fault(SHIFTED, _TWICE.fill(labels=found, model=model), node)
            return


def _moved_into(code: Code, node: ast.Assign) -> str:
    """``labels[:, :-1] = ids[:, 1:]``, ``batch["labels"] = torch.roll(ids, -1)``, and what
    ``moved_ahead`` reads."""
    target, value = node.targets[0], bare(node.value)
    if isinstance(target, ast.Subscript) and isinstance(value, ast.Subscript):
        parts = (_part(target), _part(value))
        moves = parts in tuple(zip(_BEHIND, _AHEAD, strict=True))
        if moves and _is_tokens(value.value) and _become_labels(code, target.value):
            return ast.unparse(target.value)
    tokens = moved_ahead(code, node)
    if tokens is not None and _is_tokens(tokens) and _become_labels(code, target):
        return ast.unparse(target)
    if isinstance(value, ast.Call) and last(value.func) == "roll" and value.args:
        shift = value.args[1] if len(value.args) > 1 else None
        shift = shift or next((w.value for w in value.keywords if w.arg == "shifts"), None)
        back = shift is not None and ast.unparse(shift) == "-1"
        if back and _is_tokens(value.args[0]) and _become_labels(code, target):
            return ast.unparse(target)
    return ""


def _moved_apart(node: ast.Dict) -> str:
    """``{"input_ids": ids[:-1], "labels": ids[1:]}``."""
    pairs = zip(node.keys, node.values, strict=True)
    words = {ast.unparse(k).strip("'"): bare(v) for k, v in pairs if k is not None}
    inputs, labels = words.get("input_ids"), words.get("labels")
    if not isinstance(inputs, ast.Subscript) or not isinstance(labels, ast.Subscript):
        return ""
    same = ast.unparse(bare(inputs.value)) == ast.unparse(bare(labels.value))
    moves = (_part(inputs), _part(labels)) in tuple(zip(_BEHIND, _AHEAD, strict=True))
    return ast.unparse(labels) if same and moves else ""


def _text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _part(node: ast.Subscript) -> str:
    return ast.unparse(node.slice).strip("()")


def _is_tokens(node: ast.AST) -> bool:
    """Whether what is moved are tokens, or labels that nothing moved yet."""
    text = ast.unparse(node).lower()
    return any(word in text for word in ("label", "input_ids", "token", "ids"))


def _become_labels(code: Code, node: ast.AST) -> bool:
    """Whether a tensor is the ``labels`` of a batch: by its key, or by where its name is put."""
    if isinstance(node, ast.Subscript):
        return _text(node.slice) and getattr(node.slice, "value", "") == "labels"
    name = dotted(node)
    for use in code.uses(name) if name else ():
        parent = code.parents[use]
        if isinstance(parent, ast.Assign) and any(_is_labels(one) for one in parent.targets):
            return True
        if isinstance(parent, ast.keyword) and parent.arg == "labels":
            return True
        if isinstance(parent, ast.Dict) and use in parent.values:
            key = parent.keys[parent.values.index(use)]
            if isinstance(key, ast.Constant) and key.value == "labels":
                return True
    return False


def _is_labels(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "labels"
    return isinstance(node, ast.Attribute) and node.attr == "labels"


# --- labels that hold the padding -----------------------------------------------------------


def _padded(code: Code) -> Iterator[Fault]:
    for call in code.calls:
        words = {one.arg: one.value for one in call.keywords}
        padding = words.get("padding")
        if not isinstance(padding, ast.Constant) or padding.value != "max_length":
            continue
        function, parent = code.function(call), code.parents[call]
        if not isinstance(parent, ast.Assign) or isinstance(function, ast.Module):
            continue
        inputs = _ids_of(function, dotted(parent.targets[0]))
        for node in ast.walk(function):
            for value in _given_as_labels(node):
                copied = _copied(value)
                if copied in inputs:
                    what = _PADS.fill(inputs=copied, line=call.lineno)
                    yield Fault(PADDED, what, value)
                    return


def _ids_of(function: ast.AST, name: str) -> set[str]:
    """What holds the tokens of one tokenised text: ``enc["input_ids"]``, and names for it."""
    if not name:
        return set()
    found = {f"{name}['input_ids']", f"{name}.input_ids"}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            found |= {
                dotted(t) for t, v in pairs if isinstance(t, ast.Name) and _copied(v) in found
            }
    return found


def _given_as_labels(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign) and any(_is_labels(one) for one in node.targets):
        yield node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "labels":
                yield value


def _copied(node: ast.AST) -> str:
    """What a copy is made of, as it is written."""
    while True:
        if isinstance(node, ast.Call) and last(node.func) in _COPIES:
            inner = node.func.value if isinstance(node.func, ast.Attribute) else None
            if node.args and dotted(inner) in ("", "copy", "torch", "np", "numpy"):
                inner = node.args[0]
            if inner is None:
                return ""
            node = inner
        elif isinstance(node, ast.Subscript) and not _text(node.slice):
            node = node.value  # one row of it
        else:
            return ast.unparse(node)


def _laid_out(code: Code) -> Iterator[Fault]:
    """``labels = torch.full(size, tok.pad_token_id)`` of a collator."""
    for node in ast.walk(code.tree):
        for value in _given_as_labels(node):
            found = filled(code, value)
            if found is not None:
                yield Fault(PADDED, _LAID.fill(pad=found[0]), found[1])
                return
