"""Options that ``click`` decorators declare."""

from __future__ import annotations

from medic.facts import Option, Source

from .machine import Machine
from .options import Takes
from .values import (
    UNKNOWN,
    Arguments,
    ClickCommand,
    ClickMark,
    Function,
    Value,
    known,
)


def option_mark(arguments: Arguments) -> ClickMark:
    """``click.option(…)``: the declarations that start with ``-`` are names of the flag."""
    names = arguments.positional
    texts = [n for n in names if isinstance(n, str)]
    if len(texts) != len(names) or arguments.open_positional:
        return ClickMark("option", open=True)
    flags = [t.strip() for t in texts if t.startswith("-")]
    on = [f.split("/")[0].strip() for f in flags]
    off = [f.split("/", 1)[1].strip() for f in flags if "/" in f]
    default = arguments.get("default")
    found = Option(
        (*on, *(o for o in off if o.startswith("-"))),
        _takes(arguments, paired=bool(off)),
        off[0] if off else "",
        str(default) if default is not None and known(default) else "",
        source=Source(arguments.file, arguments.line),
    )
    return ClickMark("option", (found,))


def _takes(arguments: Arguments, *, paired: bool) -> Takes:
    switch = arguments.get("is_flag", default=None)
    if paired or switch is True or arguments.get("count", default=False) is True:
        return "none"
    if arguments.get("flag_value") is not None and switch is None:
        return "none"
    if arguments.open_keywords or switch is UNKNOWN:
        return "optional-value"
    nargs = arguments.get("nargs", default=1)
    return "value" if nargs == 1 else "many"


def argument_mark(arguments: Arguments) -> ClickMark:
    """``click.argument("name", nargs=…)``."""
    name = arguments.get("name", 0)
    many = arguments.get("nargs", default=1) != 1
    if not isinstance(name, str):
        return ClickMark("option", open=True)
    return ClickMark("option", (Option((name,), "many" if many else "value"),))


def command_mark(arguments: Arguments, *, group: bool = False) -> ClickMark:
    """``click.command(…)`` or ``click.group(…)``."""
    settings = arguments.get("context_settings", default={})
    ignores = isinstance(settings, dict) and settings.get("ignore_unknown_options") is True
    kind = "group" if group else "command"
    return ClickMark(kind, open=settings is UNKNOWN, ignores_unknown=ignores)


def apply_mark(machine: Machine, mark: ClickMark, arguments: Arguments) -> Value:
    """A decorator applied to a function gives the function, or the command it becomes."""
    target = arguments.get("f", 0, default=UNKNOWN)
    function = target.function if isinstance(target, ClickCommand) else target
    if not isinstance(function, Function):
        return UNKNOWN
    function.click_open = function.click_open or mark.open
    if mark.kind == "option":
        function.click.extend(mark.options)
        return target
    command = ClickCommand(function, mark.ignores_unknown, group=mark.kind == "group")
    machine.commands.append(command)
    return command
