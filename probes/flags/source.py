"""The options of a training script, from its source. Nothing is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from medic.facts import Option, ParserSpec
from medic.records import replace

from .script.files import SourceFiles
from .script.interpreter import Interpreter
from .script.machine import OutOfSteps
from .script.options import add_option, with_negatives
from .script.values import Arguments, Class, ClickCommand, Function, Parser

# A file without any of these words builds no parser that medic could read.
_WORDS = (
    b"ArgumentParser",
    b"ArgParser",
    b"TrlParser",
    b"add_argument",
    b"parse_args",
    b"click",
    b"tyro",
    b"Fire(",
    b"simple_parsing",
)
_BUILDS = frozenset(
    {
        "ArgumentParser",
        "HfArgumentParser",
        "TrlParser",
        "add_argument",
        "parse_args",
        "parse_known_args",
        "parse_args_into_dataclasses",
    }
)


def may_parse(source: bytes) -> bool:
    """Whether a file's text says that it reads a command line."""
    return any(word in source for word in _WORDS)


def read_parser(files: SourceFiles, path: str) -> ParserSpec | None:
    """The options that the script at ``path`` accepts, or None if it reads no command line.

    Raises Unreadable if the file is too large or no Python 3.
    """
    machine = Interpreter(files, path)
    exhausted = False
    try:
        module = machine.module(path, _module_name(path))
        if not any(p.parsed() for p in machine.parsers) and not machine.commands:
            _enter_the_rest(machine, module.scope.names)
    except (OutOfSteps, RecursionError):
        exhausted = not any(p.parsed() for p in machine.parsers)
    if machine.commands and not any(p.parsed() for p in machine.parsers):
        return _named(_of_commands(files.name(path), machine.commands), files)
    if not machine.parsers and not machine.foreign:
        return None
    return _named(_of_parsers(files.name(path), machine, exhausted), files)


def _named(spec: ParserSpec, files: SourceFiles) -> ParserSpec:
    """The same with files called as the user called them."""
    return replace(spec, options=tuple(_with_name(option, files) for option in spec.options))


def _with_name(option: Option, files: SourceFiles) -> Option:
    source = option.source
    if source.file not in files.given:
        return option
    return replace(option, source=replace(source, file=files.name(source.file)))


def _module_name(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".py")


def _enter_the_rest(machine: Interpreter, names: dict[str, object]) -> None:
    """Functions that nothing seen calls, but that build a parser: the call may be elsewhere."""
    for function in list(_functions(names)):
        node = function.node
        if id(node) not in machine.entered and _builds_parser(node):
            machine.enter(function, Arguments(open_positional=True, open_keywords=True))


def _functions(names: dict[str, object]) -> Iterator[Function]:
    for value in list(names.values()):
        if isinstance(value, Function):
            yield value
        elif isinstance(value, Class):
            yield from (v for v in value.scope.names.values() if isinstance(v, Function))


def _builds_parser(node: ast.AST) -> bool:
    return any(
        (isinstance(n, ast.Attribute) and n.attr in _BUILDS)
        or (isinstance(n, ast.Name) and n.id in _BUILDS)
        for n in ast.walk(node)
    )


def _of_parsers(script: str, machine: Interpreter, exhausted: bool) -> ParserSpec:
    """All parsers that read the command line together; each takes what the one before left."""
    used = [p for p in machine.parsers if p.parsed()] or machine.parsers
    whole = Parser()
    for parser in used:
        for option in parser.options:
            add_option(whole, option)
    known = all(p.complete for p in used) and not machine.foreign and not exhausted
    lent = tuple(dict.fromkeys(name for p in used for name in p.lent))
    return ParserSpec(
        script,
        with_negatives(whole.options),
        complete=known and not lent,
        lent=lent if known else (),
        prefixes=all(p.prefixes for p in used),
        ignores_unknown=any(p.lenient for p in used) and not any(p.strict for p in used),
    )


def _of_commands(script: str, commands: list[ClickCommand]) -> ParserSpec:
    """click: exact names only; several commands are taken together and count as incomplete."""
    whole = Parser()
    for command in commands:
        for option in command.function.click:
            add_option(whole, option)
    opened = any(c.function.click_open or c.group for c in commands)
    add_option(whole, Option(("--help",), "none"))
    return ParserSpec(
        script,
        with_negatives(whole.options),
        complete=len(commands) == 1 and not opened,
        prefixes=False,
        ignores_unknown=any(c.ignores_unknown for c in commands),
    )
