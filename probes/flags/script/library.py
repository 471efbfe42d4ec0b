"""Functions of Python and of argument libraries that are imitated while a script is read."""

from __future__ import annotations

from collections.abc import Callable

from medic.facts import Option

from . import type_calls
from .attributes import attribute
from .click_options import argument_mark, command_mark, option_mark
from .containers import items_of
from .fields import field_call
from .machine import MAX_ITEMS, Machine
from .options import add_option
from .parser_methods import new_parser
from .texts import text_of
from .typed_mains import fire, tyro_cli
from .values import (
    UNKNOWN,
    Arguments,
    Instance,
    Parser,
    Value,
    truth,
)

Imitation = Callable[[Machine, Arguments], Value]

# Command line libraries that medic does not imitate.
_FOREIGN = (
    "tyro",
    "fire",
    "simple_parsing",
    "jsonargparse",
    "draccus",
    "pyrallis",
    "typer",
    "hydra",
    "absl",
    "docopt",
    "tap",
    "pydantic_settings",
    "configargparse",
    "plac",
    "cyclopts",
)


def foreign_name(name: str) -> str:
    """The command line library that a call belongs to, if it is one that is not imitated."""
    top = name.split(".", maxsplit=1)[0]
    if top in _FOREIGN or name.startswith("sys.argv."):
        return top
    return ""


def by_last_name(name: str) -> Imitation | None:
    """HfArgumentParser and its kin, from whatever package re-exports them."""
    return _BY_LAST_NAME.get(name.rsplit(".", 1)[-1])


def _items(arguments: Arguments, position: int = 0) -> list[Value] | None:
    return items_of(arguments.get("_", position, default=UNKNOWN))


def _len(_: Machine, a: Arguments) -> Value:
    items = _items(a)
    return UNKNOWN if items is None else len(items)


def _str(_: Machine, a: Arguments) -> Value:
    return text_of(a.get("_", 0, default=""))


def _list(_: Machine, a: Arguments) -> Value:
    items = _items(a) if a.positional else []
    return UNKNOWN if items is None else items


def _dict(_: Machine, a: Arguments) -> Value:
    first = a.get("_", 0, default={})
    if isinstance(first, list) and all(isinstance(p, tuple) and len(p) == 2 for p in first):
        first = {k: v for k, v in first if isinstance(k, str)}
    if not isinstance(first, dict) or a.open_keywords:
        return UNKNOWN
    return {**first, **a.keywords}


def _enumerate(_: Machine, a: Arguments) -> Value:
    items = _items(a)
    return UNKNOWN if items is None else list(enumerate(items))


def _zip(_: Machine, a: Arguments) -> Value:
    columns = [items_of(v) for v in a.positional]
    if None in columns or a.open_positional:
        return UNKNOWN
    return list(zip(*(c for c in columns if c is not None), strict=False))


def _sorted(_: Machine, a: Arguments) -> Value:
    items = _items(a)
    if items is None or not all(isinstance(i, str) for i in items):
        return items if items is not None else UNKNOWN  # the order adds no option
    return sorted(items)


def _range(_: Machine, a: Arguments) -> Value:
    given = a.positional[:3]
    if not given or not all(isinstance(v, int) for v in given) or 0 in given[2:]:
        return UNKNOWN
    return list(range(*given)[:MAX_ITEMS])


def _getattr(_: Machine, a: Arguments) -> Value:
    name = a.get("_", 1)
    if not isinstance(name, str):
        return UNKNOWN
    return attribute(a.get("_", 0), name)


def _setattr(_: Machine, a: Arguments) -> Value:
    owner, name = a.get("_", 0), a.get("_", 1)
    if isinstance(owner, (Instance, Parser)) and isinstance(name, str):
        owner.attributes[name] = a.get("_", 2)
    return None


def _vars(_: Machine, a: Arguments) -> Value:
    owner = a.get("_", 0)
    return owner.attributes if isinstance(owner, Instance) else UNKNOWN


def _asdict(_: Machine, a: Arguments) -> Value:
    owner = a.get("_", 0)
    if not isinstance(owner, Instance):
        return UNKNOWN
    return {k: _plain(v) for k, v in owner.attributes.items()}


def _plain(value: Value) -> Value:
    if isinstance(value, Instance):
        return {k: _plain(v) for k, v in value.attributes.items()}
    return value


def _first(_: Machine, a: Arguments) -> Value:
    return a.get("_", 0)


def _deepspeed(_: Machine, a: Arguments) -> Value:
    """deepspeed/__init__.py: add_config_arguments."""
    parser = a.get("parser", 0)
    if isinstance(parser, Parser):
        for name, takes in (
            ("--deepspeed", "none"),
            ("--deepspeed_config", "value"),
            ("--deepscale", "none"),
            ("--deepscale_config", "value"),
        ):
            add_option(parser, Option((name,), takes))  # type: ignore[arg-type]
    return parser


def _any_or_all(stop: bool) -> Imitation:
    def imitate(_: Machine, a: Arguments) -> Value:
        answers = [truth(v) for v in _items(a) or [UNKNOWN]]
        if stop in answers:
            return stop
        return UNKNOWN if None in answers else not stop

    return imitate


FUNCTIONS: dict[str, Imitation] = {
    **type_calls.FUNCTIONS,
    "argparse.ArgumentParser": lambda m, a: new_parser("argparse", a, m),
    "builtins.len": _len,
    "builtins.str": _str,
    "builtins.list": _list,
    "builtins.tuple": lambda m, a: UNKNOWN if (v := _list(m, a)) is UNKNOWN else tuple(v),
    "builtins.set": _list,
    "builtins.reversed": lambda m, a: UNKNOWN if (v := _list(m, a)) is UNKNOWN else v[::-1],
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.sorted": _sorted,
    "builtins.range": _range,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.vars": _vars,
    "builtins.any": _any_or_all(stop=True),
    "builtins.all": _any_or_all(stop=False),
    "dataclasses.field": lambda _, a: field_call(a),
    "dataclasses.asdict": _asdict,
    "typing.cast": lambda _, a: a.get("_", 1),
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "deepspeed.add_config_arguments": _deepspeed,
    "tyro.cli": tyro_cli,
    "fire.Fire": fire,
    "click.option": lambda _, a: option_mark(a),
    "click.argument": lambda _, a: argument_mark(a),
    "click.command": lambda _, a: command_mark(a),
    "click.group": lambda _, a: command_mark(a, group=True),
}

_BY_LAST_NAME: dict[str, Imitation] = {
    "HfArgumentParser": lambda m, a: new_parser("hf", a, m),
    "TrlParser": lambda m, a: new_parser("trl", a, m),
    "HfArg": lambda _, a: field_call(a),
}
