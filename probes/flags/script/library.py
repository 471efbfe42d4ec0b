"""Functions of Python and of argument libraries that are imitated while a script is read."""

from __future__ import annotations

from collections.abc import Callable

from medic.facts import Option

from .attributes import attribute
from .click_options import argument_mark, command_mark, option_mark
from .containers import items_of
from .fields import field_call
from .machine import MAX_ITEMS, Machine
from .options import add_option
from .parser_methods import new_parser
from .texts import text_of
from .values import (
    UNKNOWN,
    Arguments,
    Class,
    External,
    Instance,
    Parser,
    Subscripted,
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


def _type(_: Machine, a: Arguments) -> Value:
    value = a.get("_", 0)
    if isinstance(value, Instance):
        return value.of
    name = type(value).__name__
    return External(f"builtins.{name}") if name in _PYTHON_TYPES else UNKNOWN


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


_PYTHON_TYPES: dict[str, type] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "tuple": tuple,
    "dict": dict,
}


def _isinstance(_: Machine, a: Arguments) -> Value:
    value, kinds = a.get("_", 0), a.get("_", 1)
    answers = [_is_of(value, k) for k in (kinds if isinstance(kinds, tuple) else (kinds,))]
    if True in answers:
        return True
    return UNKNOWN if None in answers else False


def _is_of(value: Value, kind: Value) -> bool | None:
    if isinstance(value, Instance):
        return kind in value.of.lineage() if isinstance(kind, Class) else None
    plain = kind.name.removeprefix("builtins.") if isinstance(kind, External) else ""
    if plain == "type":
        return True if isinstance(value, Class) or value in _TYPES else None
    literal = isinstance(value, (bool, int, float, str, list, tuple, dict, type(None)))
    if plain in _PYTHON_TYPES and literal:
        return isinstance(value, _PYTHON_TYPES[plain])
    return False if literal and isinstance(kind, Class) else None


_TYPES = [External(f"builtins.{n}") for n in _PYTHON_TYPES]


def _fields(_: Machine, a: Arguments) -> Value:
    owner = a.get("_", 0)
    given = owner.of if isinstance(owner, Instance) else owner
    if not isinstance(given, Class) or not given.closed():
        return UNKNOWN
    return tuple(given.fields())


def _is_dataclass(_: Machine, a: Arguments) -> Value:
    given = a.get("_", 0)
    if isinstance(given, (External, Subscripted, str)):
        # A name from elsewhere may be a dataclass; a builtin type is none.
        return UNKNOWN if isinstance(given, External) and given not in _TYPES else False
    given = given.of if isinstance(given, Instance) else given
    return bool(given.fields()) if isinstance(given, Class) else UNKNOWN


def _type_hints(_: Machine, a: Arguments) -> Value:
    given = a.get("_", 0)
    closed = isinstance(given, Class) and given.closed()
    return {f.name: f.hint for f in given.fields()} if closed else UNKNOWN


def _origin(_: Machine, a: Arguments) -> Value:
    given = a.get("_", 0)
    if isinstance(given, Subscripted):
        union = given.origin == External("typing.Optional")
        return External("typing.Union") if union else given.origin
    return None if given in _TYPES or isinstance(given, Class) else UNKNOWN


def _type_arguments(_: Machine, a: Arguments) -> Value:
    given = a.get("_", 0)
    if isinstance(given, Subscripted):
        optional = given.origin == External("typing.Optional")
        return (*given.arguments, None) if optional else given.arguments
    return () if given in _TYPES else UNKNOWN


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
    "builtins.isinstance": _isinstance,
    "builtins.type": _type,
    "builtins.any": _any_or_all(stop=True),
    "builtins.all": _any_or_all(stop=False),
    "dataclasses.fields": _fields,
    "dataclasses.field": lambda _, a: field_call(a),
    "dataclasses.asdict": _asdict,
    "dataclasses.is_dataclass": _is_dataclass,
    "typing.get_type_hints": _type_hints,
    "typing.get_origin": _origin,
    "typing.get_args": _type_arguments,
    "typing.cast": lambda _, a: a.get("_", 1),
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "deepspeed.add_config_arguments": _deepspeed,
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
