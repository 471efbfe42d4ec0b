"""Command lines that libraries make of a dataclass or of a function's parameters: tyro, Fire.

tyro takes ``--field-name`` and ``--field_name`` of every field, those of a nested dataclass behind
its name and a dot (tyro documentation, "Dataclasses", "Hierarchical configs"). Fire takes a flag of
each parameter in both spellings, alone for true (Python Fire guide, "Calling Functions"). Neither
takes the beginning of a name for the whole; both stop at a name that they do not know, Fire only
when the function has run. tyro reads the constructor of a class that is no dataclass.
"""

from __future__ import annotations

import ast
from typing import Literal

from medic.facts import Option, Source

from .machine import Machine
from .options import add_option
from .values import (
    BOOL,
    MISSING,
    UNKNOWN,
    Arguments,
    Class,
    External,
    Field,
    Function,
    Parser,
    Subscripted,
    Value,
    last_name,
)

_PLAIN = frozenset(("builtins.str", "builtins.int", "builtins.float", "pathlib.Path"))
_NUMBERS: dict[str, Literal["", "int", "float"]] = {
    "builtins.int": "int",
    "builtins.float": "float",
}
_DEEPEST = 4  # blocks in blocks
# Arguments of tyro.cli that change no flag; a default of a subclass has more of them.
_WORDS_ALONE = frozenset(("f", "prog", "description", "compact_help", "console_outputs"))


def tyro_cli(machine: Machine, arguments: Arguments) -> Value:
    """``tyro.cli(Settings)``; of anything but a dataclass nothing is known."""
    given = arguments.get("f", 0)
    parser = _parser(machine)
    if isinstance(given, Class):
        _add_fields(parser, given, "", _DEEPEST)
    elif isinstance(given, Function):
        _add_parameters(parser, given, flags=False)
    else:
        parser.complete = False
    others = set(arguments.keywords) - _WORDS_ALONE
    parser.complete = parser.complete and not others and not arguments.open_keywords
    return UNKNOWN


def fire(machine: Machine, arguments: Arguments) -> Value:
    """``fire.Fire(main)``; a class, an object or a dict of commands is not looked into."""
    given = arguments.get("component", 0)
    parser = _parser(machine)
    if isinstance(given, Function) and "command" not in arguments.keywords:
        _add_parameters(parser, given, flags=True)
    else:
        parser.complete = False
    return UNKNOWN


def _parser(machine: Machine) -> Parser:
    parser = Parser("typed", prefixes=False, strict=True)
    machine.parsers.append(parser)
    add_option(parser, Option(("--help", "-h"), "none"))
    return parser


def _add_fields(parser: Parser, given: Class, before: str, depth: int) -> None:
    known = given.is_dataclass() and not _has_more_parameters(given)
    parser.complete = parser.complete and known and depth > 0
    for one in given.fields() if depth else ():
        if not one.init:
            continue
        if isinstance(one.hint, Class) and one.hint.is_dataclass():
            # A default of a subclass brings the fields of that one.
            same = one.default is MISSING and one.factory in (MISSING, one.hint)
            parser.complete = parser.complete and same
            _add_fields(parser, one.hint, f"{before}{one.name}.", depth - 1)
        else:
            _add_field(parser, one, before)


def _has_more_parameters(given: Class) -> bool:
    """Whether fields of the constructor alone (``InitVar``) are handed to ``__post_init__``."""
    end = given.find("__post_init__")
    return isinstance(end, Function) and len(end.node.args.args) > 1


def _add_field(parser: Parser, one: Field, before: str) -> None:
    hint = one.hint.name if isinstance(one.hint, External) else ""
    # A union of classes is a choice of subcommands, with flags of their own.
    parser.complete = parser.complete and _is_simple(one.hint)
    source = Source(one.file, one.line)
    takes: Literal["value", "many"] = "value" if hint in _PLAIN else "many"
    names = _spellings(before + one.name)
    if one.hint == BOOL:
        names += _spellings(f"{before}no_{one.name}")
    add_option(parser, Option(names, takes, source=source, number=_NUMBERS.get(hint, "")))


def _is_simple(hint: Value) -> bool:
    """Whether a type has words for its values and no fields: also one of several such types."""
    if isinstance(hint, Subscripted):
        if last_name(hint.origin) in ("Optional", "Union"):
            return all(one is None or _is_simple(one) for one in hint.arguments)
        listed = last_name(hint.origin) in ("Literal", "list", "List", "tuple", "Tuple", "Sequence")
        return listed and not any(isinstance(one, Class) for one in hint.arguments)
    return hint == BOOL or (isinstance(hint, External) and hint.name in _PLAIN)


def _add_parameters(parser: Parser, given: Function, *, flags: bool) -> None:
    node = given.node.args
    plain = isinstance(given.node, ast.FunctionDef) and not given.node.decorator_list
    parser.complete = plain and node.kwarg is None and node.vararg is None
    for one in (*node.posonlyargs, *node.args, *node.kwonlyargs):
        names = _spellings(one.arg)
        if flags:
            names += (*_spellings(f"no{one.arg}"), f"-{one.arg}")
        add_option(parser, Option(names, "optional-value"))
    if not flags:
        parser.complete = False  # a parameter may be a dataclass


def _spellings(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((f"--{name.replace('_', '-')}", f"--{name}")))
