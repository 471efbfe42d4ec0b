"""What Python code that only sets values is known to set, read from its syntax tree: nothing runs.

Numbers, texts and arithmetic over them, calls by keyword as groups of settings
(``run.Partial(fn, trainer=run.Config(Trainer, max_steps=10))``), attributes set on such a group
later, and functions of the same file with what they return. All else stays unknown.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence

from medic.records import dataclass, field

Scalar = int | float | bool | str | None

MAX_STEPS = 50_000
MAX_CALLS = 20
_MAX_TEXT = 4096
_MAX_SIZE = 5000
_MAX_POWER = 64
# nemo_run's wrappers: the first argument is what will be called with the others.
WRAPPERS = ("Config", "Partial", "partial")
# Classes of transformers and TRL that hold all arguments of a run.
ARGUMENTS = frozenset(
    ("TrainingArguments", "Seq2SeqTrainingArguments", "SFTConfig", "DPOConfig", "GRPOConfig",
     "PPOConfig", "KTOConfig", "ORPOConfig", "CPOConfig", "RewardConfig", "RLOOConfig")
)  # fmt: skip
# Classes of peft and transformers that say what is trained and how it is held, and what their
# arguments are called where a trainer's configuration states them.
BESIDE: Mapping[str, Mapping[str, str]] = {
    "LoraConfig": {"r": "lora_r", "target_modules": "lora_target_modules"},
    "BitsAndBytesConfig": {
        name: name for name in ("load_in_4bit", "load_in_8bit", "bnb_4bit_use_double_quant")
    },
    # Unsloth's, which take as arguments what others take as objects.
    "get_peft_model": {"r": "lora_r", "target_modules": "lora_target_modules"},
}

_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True)
class Known:
    """A value with the expression that states it."""

    value: Scalar
    node: ast.expr


@dataclass(frozen=True)
class Unknown:
    node: ast.expr


@dataclass(frozen=True)
class Items:
    """A list or a tuple."""

    values: tuple[Result, ...]
    node: ast.expr


@dataclass
class Group:
    """Settings by name, each with the node that names it; ``made_by`` is the call's name.

    ``runs``: a whole run: ``run.Partial`` of what trains, or the arguments of a trainer.
    """

    node: ast.expr
    made_by: str = ""
    runs: bool = False
    settings: dict[str, tuple[ast.AST, Result]] = field(default_factory=dict)

    def put(self, path: Sequence[str], name: ast.AST, value: Result) -> None:
        """Sets ``a.b.c``; groups on the way are made."""
        first, *rest = path
        if not rest:
            self.settings[first] = (name, value)
            return
        inner = self.settings.get(first, (name, None))[1]
        if not isinstance(inner, Group):
            inner = Group(self.node)
            self.settings[first] = (name, inner)
        inner.put(rest, name, value)

    def get(self, name: str) -> Result | None:
        found = self.settings.get(name)
        return found[1] if found else None

    def size(self) -> int:
        """How many values it states, those of inner groups included, up to ``_MAX_SIZE``."""
        count, waiting = 0, [self]
        while waiting and count < _MAX_SIZE:
            inner = [value for _, value in waiting.pop().settings.values()]
            count += len(inner)
            waiting += [value for value in inner if isinstance(value, Group)]
        return count


Result = Known | Unknown | Items | Group
Names = dict[str, Result]


def dotted(node: ast.expr) -> str:
    """``a.b.c`` as text; "" for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        above = dotted(node.value)
        return f"{above}.{node.attr}" if above else ""
    return ""


def literal(node: ast.expr) -> Result:
    """A constant or a name of torch (``torch.bfloat16``)."""
    if isinstance(node, ast.Constant) and (
        node.value is None or isinstance(node.value, (bool, int, float, str))
    ):
        long = isinstance(node.value, str) and len(node.value) > _MAX_TEXT
        return Unknown(node) if long else Known(node.value, node)
    name = dotted(node)
    return Known(name, node) if name.startswith("torch.") else Unknown(node)


def signed(node: ast.UnaryOp, value: Result) -> Result:
    if isinstance(value, Known):
        if isinstance(node.op, ast.Not) and isinstance(value.value, bool):
            return Known(not value.value, node)
        number = value.value
        if isinstance(node.op, ast.USub) and _is_number(number):
            return Known(-number, node)  # type: ignore[operator]
    return Unknown(node)


def arithmetic(node: ast.expr, how: ast.operator, left: Result, right: Result) -> Result:
    """The result of two known numbers, or of two texts joined."""
    if not (isinstance(left, Known) and isinstance(right, Known)):
        return Unknown(node)
    a, b = left.value, right.value
    if isinstance(a, str) and isinstance(b, str) and isinstance(how, ast.Add):
        return Known((a + b)[:_MAX_TEXT], node)
    does = _ARITHMETIC.get(type(how))
    if does is None or not (_is_number(a) and _is_number(b)):
        return Unknown(node)
    if isinstance(how, ast.Pow) and not 0 <= b <= _MAX_POWER:  # type: ignore[operator]
        return Unknown(node)
    try:
        result = does(a, b)  # type: ignore[arg-type]
    except (ArithmeticError, ValueError):
        return Unknown(node)
    return Known(result, node) if abs(result) < 1e30 else Unknown(node)


def _is_number(value: Scalar) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
