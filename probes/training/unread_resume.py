"""A checkpoint that the arguments of a Trainer name, and that train() is not given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.i18n import Text

from .code import Code, Fault, last

NOT_LOADED = "weights-not-loaded-on-resume"
_UNREAD = Text(
    "transformers' Trainer does not read resume_from_checkpoint of its arguments, and {call} (line "
    "{line}) is not given it: the run begins at step 0",
    "transformers 的 Trainer 不读参数里的 resume_from_checkpoint，而 {call}（第 {line} 行）没有传入它："
    "训练从第 0 步开始",
)
NAME = "resume_from_checkpoint"
# Classes of arguments of transformers' Trainer and of TRL's.
_ARGUMENTS = ("TrainingArguments", "SFTConfig", "DPOConfig", "KTOConfig", "ORPOConfig", "CPOConfig",
              "GRPOConfig", "RewardConfig", "PRMConfig")  # fmt: skip


def unread_resume(code: Code) -> Iterator[Fault]:
    """transformers training_args.py: the argument is "not directly used by Trainer", it is meant for
    scripts, which hand it to ``train()``."""
    if f".{NAME}" in code.text or any(n.name == "train" for n in _functions(code)):
        return
    stated = [w for call in code.calls if _holds(call) for w in call.keywords if _set(w)]
    trains = [call for call in code.calls if last(call.func) == "train" and _of_trainer(code, call)]
    if not stated or not trains or any(call.args or call.keywords for call in trains):
        return
    values = {"call": f"{ast.unparse(trains[0].func)}()", "line": trains[0].lineno}
    yield Fault(NOT_LOADED, _UNREAD.fill(values), stated[0].value)


def _functions(code: Code) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(code.tree) if isinstance(n, ast.FunctionDef))


def _holds(call: ast.Call) -> bool:
    return last(call.func).endswith(_ARGUMENTS)


def _set(word: ast.keyword) -> bool:
    return word.arg == NAME and isinstance(word.value, ast.Constant) and bool(word.value.value)


def _of_trainer(code: Code, call: ast.Call) -> bool:
    """Whether ``train()`` is of a name that a Trainer was given."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    made = code.assigned.get(owner.id, []) if isinstance(owner, ast.Name) else []
    return any(
        isinstance(node.value, ast.Call) and last(node.value.func).endswith("Trainer")
        for node in made
    )
