"""Methods of an argument parser that is read, not run."""

from __future__ import annotations

from medic.facts import Option

from .fields import add_dataclass
from .machine import Machine
from .options import add_argument, add_option
from .values import UNKNOWN, Arguments, Parser, Remainder, Subparsers, Value, truth

_STRICT = frozenset({"parse_args", "parse_intermixed_args"})
_LENIENT = frozenset({"parse_known_args", "parse_known_intermixed_args"})
_GROUPS = frozenset({"add_argument_group", "add_mutually_exclusive_group"})


def new_parser(kind: str, arguments: Arguments, machine: Machine) -> Parser:
    """A parser as its constructor leaves it."""
    parser = Parser(kind)
    machine.parsers.append(parser)
    initialise(parser, arguments)
    return parser


def initialise(parser: Parser, arguments: Arguments) -> None:
    """Reads the constructor's arguments: abbreviations, help, parents, dataclasses."""
    if arguments.get("add_help", default=True) is not False:
        add_argument(parser, Arguments(["-h", "--help"], {"action": "help"}))
    parser.prefixes = arguments.get("allow_abbrev", default=True) is not False
    if arguments.get("prefix_chars", default="-") != "-" or arguments.open_keywords:
        parser.complete = False
    parents = arguments.get("parents", default=())
    for parent in parents if isinstance(parents, (list, tuple)) else (UNKNOWN,):
        _take_over(parser, parent)
    if parser.kind == "hf":
        _dataclasses(parser, arguments.get("dataclass_types", 0, default=()))
    if parser.kind == "trl":
        _dataclasses(parser, arguments.get("dataclass_types", 0, default=()))
        # TrlParser itself takes --config out of the command line.
        add_argument(parser, Arguments(["--config"]))


def _take_over(parser: Parser, parent: Value) -> None:
    if not isinstance(parent, Parser):
        parser.complete = False
        return
    parser.complete = parser.complete and parent.complete
    parser.lent += parent.lent
    for option in parent.options:
        add_option(parser, option)


def _dataclasses(parser: Parser, given: Value) -> None:
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    parser.dataclasses = len(several)
    for one in several:
        add_dataclass(parser, one)


def call_parser(parser: Parser, name: str, arguments: Arguments) -> Value:
    """What a method call does to the parser, and its value."""
    if name == "add_argument":
        add_argument(parser, arguments)
        return UNKNOWN
    if name in _GROUPS:
        return parser
    if name == "add_subparsers":
        parser.complete = False
        add_option(parser, _subcommand(arguments))
        return Subparsers(parser)
    if name in _STRICT | _LENIENT:
        return _parse(parser, name in _STRICT, arguments)
    if name in ("parse_args_into_dataclasses", "parse_args_and_config"):
        return _parse_dataclasses(parser, name, arguments)
    if name == "_add_dataclass_arguments":
        add_dataclass(parser, arguments.get("dtype", 0))
    elif name == "__init__":
        initialise(parser, arguments)
    elif name.startswith("add_"):
        parser.complete = False  # a method of another library's parser
    return UNKNOWN


def _subcommand(arguments: Arguments) -> Option:
    dest = arguments.get("dest")
    return Option((dest if isinstance(dest, str) else "command",), "value")


def call_subparsers(parser: Parser, name: str, arguments: Arguments) -> Value:
    """``add_parser`` gives a parser whose options count as those of the whole."""
    if name != "add_parser":
        return UNKNOWN
    child = Parser(prefixes=parser.prefixes, options=parser.options)
    initialise(child, arguments)
    parser.complete = False
    return child


def _parse(parser: Parser, strict: bool, arguments: Arguments) -> Value:
    command_line = _mark(parser, strict, arguments.get("args", 0))
    if strict:
        return UNKNOWN
    return (UNKNOWN, Remainder(parser) if command_line else UNKNOWN)


def _mark(parser: Parser, strict: bool, words: Value) -> bool:
    """Notes how the parser read the command line; a literal list is not the command line."""
    if isinstance(words, (list, tuple)):
        return False
    if isinstance(words, Remainder) and strict:
        words.parser.strict = True
    parser.strict = parser.strict or strict
    parser.lenient = parser.lenient or not strict
    return True


def _parse_dataclasses(parser: Parser, name: str, arguments: Arguments) -> Value:
    rest = truth(arguments.get("return_remaining_strings", default=False))
    drops = name == "parse_args_and_config" and (
        arguments.get("fail_with_unknown_args", 2, default=True) is False
    )
    strict = rest is False and not drops
    command_line = _mark(parser, strict, arguments.get("args", 0))
    if strict or drops or not command_line:
        return UNKNOWN
    return (*(UNKNOWN for _ in range(parser.dataclasses)), Remainder(parser))
