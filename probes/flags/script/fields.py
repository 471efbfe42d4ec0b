"""Dataclass fields as HfArgumentParser turns them into options.

The rules are those of transformers/hf_argparser.py: ``--field_name`` and ``--field-name``; a bool
takes an optional value; a bool that defaults to True also gets ``--no_field_name``; an
``Optional[bool]`` without a default needs a value; a list takes one value or more; all other keys
of the metadata go to add_argument.
"""

from __future__ import annotations

import ast
from typing import Literal

from .machine import Machine
from .options import add_argument
from .values import (
    BOOL,
    MISSING,
    UNKNOWN,
    Arguments,
    Class,
    External,
    Field,
    Parser,
    Scope,
    Subscripted,
    Value,
    last_name,
)

Shape = Literal["bool", "optional-bool", "list", "value", "unknown"]

_NOT_FIELDS = frozenset({"ClassVar", "InitVar", "KW_ONLY"})


def field_of(machine: Machine, node: ast.AnnAssign, scope: Scope) -> Field | None:
    """The field that ``name: type = default`` in a class body makes; None if it makes none."""
    if not isinstance(node.target, ast.Name):
        return None
    hint = resolve_hint(machine, node.annotation, scope)
    outer = hint.origin if isinstance(hint, Subscripted) else hint
    if last_name(outer) in _NOT_FIELDS:
        return None
    written = ast.unparse(node.annotation) if scope.text_types else hint
    if isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str):
        written = node.annotation.value
    found = Field(node.target.id, written, hint, line=node.lineno, file=scope.file)
    if node.value is not None:
        value = machine.evaluate(node.value, scope)
        if isinstance(value, Field):
            found.default, found.factory = value.default, value.factory
            found.metadata, found.init = value.metadata, value.init
        else:
            found.default = value
    return found


def resolve_hint(machine: Machine, node: ast.expr, scope: Scope) -> Value:
    """The type that an annotation names, also where it is written as text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value[:1000], mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return UNKNOWN
    return machine.evaluate(node, scope)


def field_call(arguments: Arguments) -> Field:
    """What ``dataclasses.field(…)`` or ``HfArg(…)`` describes."""
    metadata = arguments.get("metadata", default={})
    if isinstance(metadata, dict):
        extra = {k: arguments.get(k) for k in ("aliases",) if k in arguments.keywords}
        metadata = {**metadata, **extra}
    return Field(
        "",
        UNKNOWN,
        UNKNOWN,
        default=arguments.get("default", default=MISSING),
        factory=arguments.get("default_factory", default=MISSING),
        metadata=metadata,
        init=arguments.get("init", default=True) is not False,
    )


def add_dataclass(parser: Parser, given: Value) -> None:
    """Adds the options of one dataclass; a class that is not given leaves the parser incomplete,
    or lacking the fields of a library's class alone.
    """
    if isinstance(given, External):
        parser.lent.append(given.name)
        return
    if not isinstance(given, Class):
        parser.complete = False
        return
    lent = given.lent()
    parser.lent += lent
    parser.complete = parser.complete and (bool(lent) or given.closed())
    for one in given.fields():
        if one.init:
            _add_field(parser, one)


def _add_field(parser: Parser, one: Field) -> None:
    names: list[Value] = [f"--{one.name}"]
    if "_" in one.name:
        names.append("--" + one.name.replace("_", "-"))
    metadata = one.metadata if isinstance(one.metadata, dict) else {}
    aliases = metadata.get("aliases", [])
    names += [aliases] if isinstance(aliases, str) else list(aliases)
    keywords = {k: v for k, v in metadata.items() if isinstance(k, str) and k not in _NOT_PASSED}
    shape = _shape(one.hint)
    if shape == "bool" or (shape == "optional-bool" and one.default not in (None, MISSING)):
        keywords["nargs"] = "?"
    elif shape in ("list", "unknown"):
        keywords["nargs"] = "+"
    if one.default is not MISSING:
        keywords["default"] = one.default
    keywords.setdefault("type", _single(one.hint))
    if one.default is MISSING and one.factory is MISSING and shape != "unknown":
        keywords.setdefault("required", True)
    opened = not isinstance(one.metadata, dict)
    add_argument(
        parser, Arguments(names, keywords, open_keywords=opened, line=one.line, file=one.file)
    )
    if one.default is True and shape in ("bool", "optional-bool"):
        negatives: list[Value] = [f"--no_{one.name}", "--no-" + one.name.replace("_", "-")]
        off = Arguments(negatives, {"action": "store_false"}, line=one.line, file=one.file)
        add_argument(parser, off)


def _single(hint: Value) -> Value:
    """``int`` of ``int`` and of ``Optional[int]``; a list of them is left to itself."""
    if not isinstance(hint, Subscripted):
        return hint
    inner = [a for a in hint.arguments if a is not None]
    named = last_name(hint.origin) in ("Optional", "Union")
    return inner[0] if named and len(inner) == 1 else UNKNOWN


_NOT_PASSED = frozenset({"help", "aliases"})


def _shape(hint: Value) -> Shape:
    if hint == BOOL:
        return "bool"
    if isinstance(hint, Subscripted):
        return _parametrised(hint)
    if hint == External("builtins.list"):
        return "list"
    return "value" if isinstance(hint, (External, Class)) else "unknown"


def _parametrised(hint: Subscripted) -> Shape:
    origin = last_name(hint.origin)
    if origin in ("list", "List"):
        return "list"
    if origin not in ("Optional", "Union"):
        return "value"
    inner = [a for a in hint.arguments if a is not None]
    optional = origin == "Optional" or len(inner) < len(hint.arguments)
    if BOOL in inner:
        return "optional-bool" if optional and len(inner) == 1 else "unknown"
    shapes = {_shape(a) for a in inner}
    return shapes.pop() if len(shapes) == 1 else "unknown"
