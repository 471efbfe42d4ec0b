"""What a call gives: given functions are entered, known libraries imitated, all else UNKNOWN."""

from __future__ import annotations

from .attributes import attribute
from .click_options import apply_mark
from .library import FUNCTIONS, by_last_name, foreign_name
from .machine import Machine
from .methods import call_method
from .parser_methods import call_parser, call_subparsers, initialise
from .values import (
    UNKNOWN,
    Arguments,
    Class,
    ClickCommand,
    ClickMark,
    External,
    Function,
    Instance,
    Method,
    Parser,
    Remainder,
    Subparsers,
    Value,
    last_name,
)

# Calls that take a parser or its leftovers without adding or reading options.
_HARMLESS = frozenset(
    """
    print len isinstance str repr bool list vars autocomplete info warning warn debug error log
    join exit format
    """.split()  # noqa: SIM905
)
_PARSER_CLASSES = {"ArgumentParser": "argparse", "HfArgumentParser": "hf", "TrlParser": "trl"}


def call(machine: Machine, function: Value, arguments: Arguments) -> Value:
    """The value of ``function(arguments)``."""
    machine.step()
    if isinstance(function, Function):
        return machine.enter(function, arguments)
    if isinstance(function, Class):
        return _instantiate(machine, function, arguments)
    if isinstance(function, Method):
        return _method(machine, function, arguments)
    if isinstance(function, External):
        return _external(machine, function, arguments)
    if isinstance(function, ClickMark):
        return apply_mark(machine, function, arguments)
    if isinstance(function, ClickCommand):
        return UNKNOWN
    _escapes(function, arguments)
    return UNKNOWN


def _external(machine: Machine, function: External, arguments: Arguments) -> Value:
    known = FUNCTIONS.get(function.name) or by_last_name(function.name)
    if known is not None:
        return known(machine, arguments)
    foreign = foreign_name(function.name)
    if foreign:
        machine.foreign.append(foreign)
    _escapes(function, arguments)
    return UNKNOWN


def _escapes(function: Value, arguments: Arguments) -> None:
    """An unknown function may add options to a parser, or read what the parser left over."""
    if last_name(function) in _HARMLESS:
        return
    for value in arguments.every:
        if isinstance(value, (Parser, Remainder)):
            owner = value if isinstance(value, Parser) else value.parser
            owner.complete = False


def _method(machine: Machine, method: Method, arguments: Arguments) -> Value:
    owner = method.owner
    if isinstance(owner, Parser):
        return call_parser(owner, method.name, arguments)
    if isinstance(owner, Subparsers):
        return call_subparsers(owner.parser, method.name, arguments)
    if isinstance(owner, Remainder):
        if method.name not in ("copy", "index", "count"):
            owner.parser.complete = False
        return UNKNOWN
    if owner is UNKNOWN:
        if method.name not in _HARMLESS:
            _escapes(UNKNOWN, arguments)
        if method.name == "add_argument":
            machine.foreign.append("an unknown parser")
        return UNKNOWN
    return call_method(owner, method.name, arguments)


def _instantiate(machine: Machine, given: Class, arguments: Arguments) -> Value:
    bases = [last_name(b) for b in given.external_bases()]
    kinds = [_PARSER_CLASSES[b] for b in bases if b in _PARSER_CLASSES]
    made: Instance | Parser
    if kinds:
        made = Parser(kinds[0], of=given)
        machine.parsers.append(made)
        own = {n for c in given.lineage() for n in c.scope.names}
        # A parser that reads or rejects words in a way of its own cannot be imitated.
        made.complete = not own & {"parse_args", "parse_known_args", "_get_option_tuples"}
    else:
        made = Instance(given, _field_values(machine, given, arguments))
    constructor = attribute(made, "__init__")
    if isinstance(constructor, Function):
        machine.enter(constructor, arguments)
    elif isinstance(made, Parser):
        initialise(made, arguments)
    else:
        _escapes(UNKNOWN, arguments)
    return made


def _field_values(machine: Machine, given: Class, arguments: Arguments) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for position, one in enumerate(given.fields()):
        default = one.default
        if not isinstance(one.factory, External) or one.factory.name != "dataclasses.MISSING":
            default = machine.call(one.factory, Arguments())
        elif isinstance(default, External) and default.name == "dataclasses.MISSING":
            default = UNKNOWN
        values[one.name] = arguments.get(one.name, position, default=default)
    return values
