"""Dataclasses that a start can afford.

To a type checker ``dataclass``, ``field`` and ``replace`` are those of ``dataclasses``. At run time
a class gets its methods without source text being written and compiled for them, and without the
import of ``dataclasses``, which takes as long as a command has for its whole start. To a reader of
``dataclasses`` (``fields``, ``asdict``, ``is_dataclass``) a record is a dataclass.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from itertools import count
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "names_of", "replace"]

_FIELDS = "__record_fields__"  # name -> default value, _Field, or _NONE
_KEY = "__record_key__"  # instance -> its values
_NONE: Any = object()
FIRST = 100  # instances of a class that a written __init__ has to save time for
ROUNDS = 30  # so often has this to be so, of any class, before ``dataclasses`` is imported for it
_rounds = count(1)


class _Field:
    """A field whose default is made for each instance."""

    def __init__(self, default_factory: Callable[[], Any]) -> None:
        self.default_factory = default_factory


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        """``dataclasses.dataclass`` with those of its options that are used here."""
        if cls is None:
            return lambda decorated: _declare(decorated, frozen, eq)
        return _declare(cls, frozen, eq)

    def field(*, default_factory):
        """``dataclasses.field`` with the option that is used here."""
        return _Field(default_factory)

    def replace(record, /, **changes):
        """A copy of a record with other values in some fields."""
        fields = record.__record_fields__
        given = {**vars(record)}
        for other in given.keys() - fields.keys():  # a cached property
            del given[other]
        return type(record)(**given | changes)


def names_of(cls: Any) -> Mapping[str, Any]:
    """The names of a record's fields, in order; none of what is no record."""
    found: Mapping[str, Any] = getattr(cls, _FIELDS, {})
    return found


def _declare(cls: type[Any], frozen: bool, eq: bool) -> type[Any]:
    own = vars(cls)
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= vars(base).get(_FIELDS, {})
    for name in cls.__annotations__:
        fields[name] = own.get(name, _NONE)
        if _is_field(fields[name]):
            delattr(cls, name)
    setattr(cls, _KEY, attrgetter(*fields) if fields else type)
    methods: dict[str, Any] = {"__repr__": _shown}
    if frozen:
        methods |= {"__setattr__": _refused, "__delattr__": _refused}
    if eq:
        methods |= {"__eq__": _same, "__hash__": _digest if frozen else None}
    for name, method in methods.items():
        if own.get(name) is None:  # a class that has __eq__ has None for __hash__
            setattr(cls, name, method)
    setattr(cls, _FIELDS, fields)
    cls.__match_args__ = tuple(fields)  # type: ignore[misc]
    cls.__dataclass_fields__ = _Late(cls, frozen)
    cls.__init__ = _first(cls, fields, frozen)
    return cls


def _is_field(value: Any) -> bool:
    return isinstance(value, _Field) or type(value).__module__ == "dataclasses"


# --- instances ------------------------------------------------------------------------------


def _first(cls: type[Any], fields: Mapping[str, Any], frozen: bool) -> Callable[..., None]:
    """``__init__`` of the first instances: to have one written takes as long as thousands of calls
    of this. The written one also says what is wrong with a call.
    """
    made = {name: one.default_factory for name, one in fields.items() if _is_field(one)}
    needed = {name for name, default in fields.items() if default is _NONE}
    left = FIRST

    def init(self: Any, *values: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        given = dict(zip(fields, values, strict=False)) | named if values else named
        fits = len(given) == len(values) + len(named) and needed <= given.keys() <= fields.keys()
        if left < 0 and not _worth_writing():
            left = FIRST
        if left < 0 or not fits:
            cls.__init__ = _standard(cls, frozen).__init__
            cls.__init__(self, *values, **named)
            return
        own = self.__dict__
        own.update(fields)
        own.update(given)
        for name, make in made.items():
            if name not in given:
                own[name] = make()

    return init


# --- methods that all records share ---------------------------------------------------------


def _same(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    key = self.__class__.__record_key__
    return key(self) == key(other)


def _digest(self: Any) -> int:
    return hash(self.__class__.__record_key__(self))


@recursive_repr()
def _shown(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record_fields__)
    return f"{type(self).__qualname__}({values})"


def _refused(_: Any, name: str, *_values: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


# --- by the standard library ----------------------------------------------------------------


class _Late:
    """``__dataclass_fields__``, made when somebody looks at it."""

    def __init__(self, cls: type[Any], frozen: bool) -> None:
        self.cls, self.frozen = cls, frozen

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        made = _standard(self.cls, self.frozen)
        for name in ("__dataclass_params__", "__dataclass_fields__"):
            setattr(self.cls, name, getattr(made, name))
        return made.__dataclass_fields__


def _worth_writing() -> bool:
    """Whether so many instances are made that the import of ``dataclasses`` saves time."""
    return next(_rounds) > ROUNDS or "dataclasses" in sys.modules


def _standard(cls: type[Any], frozen: bool) -> Any:
    """What ``dataclasses.dataclass`` makes of the class's fields."""
    import dataclasses

    parts = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__annotations__")}
    for name in cls.__annotations__:
        default = names_of(cls)[name]
        if _is_field(default):
            parts[name] = dataclasses.field(default_factory=default.default_factory)
        elif default is not _NONE:
            parts[name] = default
    kind: Any = type(cls)
    made = kind(cls.__name__, cls.__bases__, parts | {"__doc__": cls.__name__})
    return dataclasses.dataclass(repr=False, eq=False, frozen=frozen)(made)
