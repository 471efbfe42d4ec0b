"""From an ``add_argument`` call to the option it adds, by the rules of argparse."""

from __future__ import annotations

from typing import Literal

from medic.facts import Option, Source
from medic.records import replace

from .values import Arguments, External, Parser, Value, known, last_name

Takes = Literal["value", "optional-value", "none", "many"]

_NO_VALUE = frozenset(
    {"store_true", "store_false", "store_const", "append_const", "count", "help", "version"}
)
_WITH_VALUE = frozenset({"store", "append", "extend"})


def add_argument(parser: Parser, arguments: Arguments) -> None:
    """Adds the option that the call describes; the parser is incomplete if its name is unknown."""
    names = _names(arguments)
    if names is None:
        parser.complete = False
        return
    if arguments.get("nargs") in ("...", "A..."):
        parser.complete = False  # what follows belongs to whatever reads the rest
    if arguments.get("action", default="store") == "parsers":
        parser.complete = False
    add_option(parser, _option(names, arguments))


def add_option(parser: Parser, option: Option) -> None:
    """Adds an option; one that two branches add in different ways may or may not take a value."""
    for index, old in enumerate(parser.options):
        if set(old.names) & set(option.names):
            takes = old.takes if old.takes == option.takes else "optional-value"
            names = (*old.names, *(n for n in option.names if n not in old.names))
            parser.options[index] = Option(
                names,
                takes,
                old.negative or option.negative,
                old.default,
                old.choices if old.choices == option.choices else (),
                old.source,
                old.number if old.number == option.number else "",
                old.required and option.required,
            )
            return
    parser.options.append(option)


def with_negatives(options: list[Option]) -> tuple[Option, ...]:
    """Fills in which option switches another off, where a pair is spelt ``--x`` / ``--no-x``."""
    switches = {n: o for o in options if o.takes != "value" for n in o.names}
    return tuple(_with_negative(option, switches) for option in options)


def _with_negative(option: Option, switches: dict[str, Option]) -> Option:
    if option.negative:
        return option
    for name in option.names:
        for start in ("--no-", "--no_", "--disable-", "--disable_"):
            other = switches.get(start + name.removeprefix("--"))
            if name.startswith("--") and other is not None and other.takes == "none":
                return replace(option, negative=start + name[2:])
    return option


def _names(arguments: Arguments) -> tuple[str, ...] | None:
    names = arguments.positional
    if arguments.open_positional or not all(isinstance(n, str) for n in names):
        return None
    if not names:
        dest = arguments.get("dest")
        return (dest,) if isinstance(dest, str) else None
    return tuple(names)


def _option(names: tuple[str, ...], arguments: Arguments) -> Option:
    action = arguments.get("action", default="store")
    source = Source(arguments.file, arguments.line)
    negative = ""
    if last_name(action) == "BooleanOptionalAction":
        negatives = tuple("--no-" + n[2:] for n in names if n.startswith("--"))
        names, negative = (*names, *negatives), negatives[0] if negatives else ""
    return Option(
        names,
        _takes(action, arguments),
        negative,
        _shown(arguments.get("default")),
        _choices(arguments.get("choices")),
        source,
        _number(arguments.get("type")),
        arguments.get("required") is True,
    )


def _number(kind: Value) -> Literal["", "int", "float"]:
    if kind == External("builtins.int"):
        return "int"
    return "float" if kind == External("builtins.float") else ""


def _takes(action: Value, arguments: Arguments) -> Takes:
    named = action if isinstance(action, str) else ""
    if named in _NO_VALUE or last_name(action) == "BooleanOptionalAction":
        return "none"
    nargs = arguments.get("nargs")
    own = named not in _WITH_VALUE
    if nargs is None:
        # A custom action may set its own number of values.
        return "optional-value" if own else "value"
    if nargs == "?":
        return "optional-value"
    if nargs == 1 and not own:
        return "value"
    return "many" if isinstance(nargs, (int, str)) else "optional-value"


def _shown(default: Value) -> str:
    return "" if default is None or not known(default) else str(default)


def _choices(choices: Value) -> tuple[str, ...]:
    if isinstance(choices, (list, tuple, set, dict)) and known(list(choices)):
        return tuple(str(c) for c in choices)
    return ()
