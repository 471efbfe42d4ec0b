"""Functions that ask for the type of something: dataclass fields, type hints, isinstance."""

from __future__ import annotations

from collections.abc import Callable

from .machine import Machine
from .values import UNKNOWN, Arguments, Class, External, Instance, Subscripted, Value

_PYTHON_TYPES: dict[str, type] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "tuple": tuple,
    "dict": dict,
}


def _type(_: Machine, a: Arguments) -> Value:
    value = a.get("_", 0)
    if isinstance(value, Instance):
        return value.of
    name = type(value).__name__
    return External(f"builtins.{name}") if name in _PYTHON_TYPES else UNKNOWN


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


FUNCTIONS: dict[str, Callable[[Machine, Arguments], Value]] = {
    "builtins.type": _type,
    "builtins.isinstance": _isinstance,
    "dataclasses.fields": _fields,
    "dataclasses.is_dataclass": _is_dataclass,
    "typing.get_type_hints": _type_hints,
    "typing.get_origin": _origin,
    "typing.get_args": _type_arguments,
}
