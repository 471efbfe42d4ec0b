"""Dataclasses that are built when the first instance is made.

Building one costs up to a millisecond, and a start declares about 150 of which it uses a third. To
a type checker this is ``dataclasses.dataclass``; at run time the class behaves as one from the
first instance, ``fields()`` or ``match`` on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        """``dataclasses.dataclass`` with those of its options that are used here."""
        if cls is None:
            return lambda decorated: _declare(decorated, frozen, eq)
        return _declare(cls, frozen, eq)


FIRST = 100  # instances that the written __init__ has to save time for
_building = RLock()  # probes run in threads
_LATE = ("__dataclass_fields__", "__match_args__")
_OF_THE_TYPE = ("__dict__", "__weakref__", "__init__", *_LATE)


def _declare(cls: type[Any], frozen: bool, eq: bool) -> type[Any]:
    def build() -> None:
        with _building:
            if isinstance(cls.__dict__["__match_args__"], _Late):
                _build(cls, frozen, eq)

    def init(self: Any, *values: Any, **named: Any) -> None:
        build()
        cls.__init__(self, *values, **named)

    def restore(self: Any, state: dict[str, Any]) -> None:
        build()  # an instance that comes from another process was not made by ``__init__``
        self.__dict__.update(state)

    cls.__init__ = init
    cls.__setstate__ = restore
    for name in _LATE:
        setattr(cls, name, _Late(build, cls, name))
    return cls


class _Late:
    """A class attribute that exists once the class is built."""

    def __init__(self, build: Callable[[], None], cls: type[Any], name: str) -> None:
        self.build, self.cls, self.name = build, cls, name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        self.build()
        return getattr(self.cls, self.name)


def _build(cls: type[Any], frozen: bool, eq: bool) -> None:
    """Gives the class what ``dataclass`` makes of a copy of it, and methods of our own.

    ``__init__`` is replaced last, and at once: another thread may be calling the one that waits.
    """
    own = {name: value for name, value in vars(cls).items() if name not in _OF_THE_TYPE}
    own |= {"__qualname__": cls.__qualname__, "__doc__": cls.__doc__ or cls.__name__}

    def processed(frozen: bool, init: bool) -> Any:
        kind: Any = type(cls)
        copy = kind(cls.__name__, cls.__bases__, dict(own))
        return dataclasses.dataclass(init=init, repr=False, eq=False, frozen=frozen)(copy)

    derived = any(map(dataclasses.is_dataclass, cls.__bases__))  # which has to be as frozen
    made = processed(frozen and derived, init=False)
    for name, value in _methods(made, frozen, eq).items():
        if own.get(name) is None:  # a class that has __eq__ has None for __hash__
            setattr(cls, name, value)
    for one in dataclasses.fields(made):
        if isinstance(vars(cls).get(one.name), dataclasses.Field):
            _default(cls, one)
    made.__dataclass_params__.frozen = frozen
    cls.__dataclass_params__ = made.__dataclass_params__
    cls.__dataclass_fields__ = made.__dataclass_fields__
    cls.__match_args__ = made.__match_args__  # type: ignore[misc]
    cls.__init__ = _first(cls, made, lambda: processed(frozen, init=True).__init__)


def _first(cls: type[Any], made: type[Any], written: Callable[[], Any]) -> Callable[..., None]:
    """``__init__`` of the first instances: ``dataclass`` writes source text for one and compiles
    it, which takes as long as a few hundred calls of this. It also says what is wrong with a call.
    """
    found = dataclasses.fields(made)
    names = [one.name for one in found]
    defaults = {f.name: f.default for f in found if f.default is not dataclasses.MISSING}
    factories: dict[str, Any] = {
        f.name: f.default_factory for f in found if f.default_factory is not dataclasses.MISSING
    }
    known, needed = set(names), set(names) - defaults.keys() - factories.keys()
    put = object.__setattr__
    left = FIRST

    def init(self: Any, *values: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        given = dict(zip(names, values, strict=False)) | named
        fits = len(given) == len(values) + len(named) and needed <= given.keys() <= known
        if left < 0 or not fits:
            cls.__init__ = written()
            cls.__init__(self, *values, **named)
            return
        for name in names:
            if name in given:
                put(self, name, given[name])
            else:
                put(self, name, factories[name]() if name in factories else defaults[name])

    return init


def _default(cls: type[Any], one: dataclasses.Field[Any]) -> None:
    if one.default is dataclasses.MISSING:
        delattr(cls, one.name)
    else:
        setattr(cls, one.name, one.default)


def _methods(made: type[Any], frozen: bool, eq: bool) -> dict[str, Any]:
    """What ``dataclass`` would add beside ``__init__``."""
    names = [one.name for one in dataclasses.fields(made)]

    @recursive_repr()
    def shown(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    def refuse(_: Any, name: str, *_values: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")

    found: dict[str, Any] = {"__repr__": shown}
    if frozen:
        found |= {"__setattr__": refuse, "__delattr__": refuse}
    if eq:
        found |= _comparing(names, frozen)
    return found


def _comparing(names: list[str], frozen: bool) -> dict[str, Any]:
    key: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def same(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    def digest(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": same, "__hash__": digest if frozen else None}
