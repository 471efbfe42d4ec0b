"""Compiled JSON data -> entry dataclasses.

A field of type ``tuple`` is decoded with its entry, one of type ``Sequence``, or a mapping whose
text is still to be parsed, when it is first read.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from medic.i18n import Text
from medic.records import names_of

T = TypeVar("T")


def decode(kind: type[T], data: Any) -> T:
    """Compiled JSON data -> the entry dataclass. The data was validated when it was compiled."""
    made: T = _decoder(cast("Hashable", kind))(data)
    return made


def _same(value: Any) -> Any:
    return value


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    if kind is Text:
        return lambda value: Text(**value)
    origin, args = get_origin(kind), get_args(kind)
    if names_of(kind):
        return _record_decoder(kind)
    if origin is tuple:
        item = _decoder(args[0])
        return tuple if item is _same else lambda value: tuple(item(v) for v in value)
    if origin is Sequence:
        return lambda value: _Later(args[0], value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        item = _decoder(args[1])
        return _same if item is _same else lambda value: _mapping(item, value)
    if origin in (Union, UnionType):
        return _union_decoder(args)
    if origin is Literal:
        return _same
    return _same


class _Later(Sequence[Any]):
    """Items that are decoded when the first is read."""

    def __init__(self, kind: Any, data: Sequence[Any]) -> None:
        self._kind = kind
        self._data = data

    @cached_property
    def _items(self) -> tuple[Any, ...]:
        return tuple(map(_decoder(self._kind), self._data))

    def __getitem__(self, at: Any) -> Any:
        return self._items[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._items == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def _mapping(item: Callable[[Any], Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return {k: item(v) for k, v in value.items()}
    return _LaterMapping(item, value)


class _LaterMapping(Mapping[str, Any]):
    """Values that are decoded when the first is read."""

    def __init__(self, item: Callable[[Any], Any], data: Mapping[str, Any]) -> None:
        self._item = item
        self._data = data

    @cached_property
    def _items(self) -> dict[str, Any]:
        return {k: self._item(v) for k, v in self._data.items()}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._data)


def _union_decoder(args: tuple[Any, ...]) -> Callable[[Any], Any]:
    objects = [a for a in args if names_of(a) or a is Text]
    has_tuple = any(get_origin(a) is tuple for a in args)

    def union(value: Any) -> Any:
        if isinstance(value, dict) and objects:
            return _decoder(cast("Hashable", objects[0]))(value)
        if isinstance(value, list) and has_tuple:
            return tuple(value)
        return value

    return union


class _Parts(dict[str, Callable[[Any], Any]]):
    """The decoders of a record's fields, each made for the first value that is met: most entries
    state few fields, and to read an annotation takes longer than the rest."""

    def __init__(self, kind: type[Any]) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, name: str) -> Callable[[Any], Any]:
        self[name] = found = _decoder(_hint(self._kind, name))
        return found


def _hint(kind: type[Any], name: str) -> Any:
    """The type of a record's field."""
    for base in kind.__mro__:
        hint = vars(base).get("__annotations__", {}).get(name)
        if hint is not None:
            return _named(base.__module__, hint) if isinstance(hint, str) else hint
    raise TypeError(name)


@cache
def _named(module: str, hint: str) -> Any:
    """What an annotation names where it is written. ``typing.get_type_hints`` compiles it, and the first
    use of ``compile`` takes a process as long as all else that a start decodes."""
    words = re.findall(r"'[^']*'|\w+|\.\.\.|[^\s]", hint)
    return _read(words[::-1], vars(builtins) | vars(sys.modules[module]))


def _read(words: list[str], names: Mapping[str, Any]) -> Any:
    """The type that begins at the last of the words, which are taken off. Raises KeyError."""
    word = words.pop()
    found: Any = word[1:-1] if word[0] == "'" else ... if word == "..." else names.get(word)
    if found is None and word != "None":
        raise KeyError(word)
    if words[-1:] == ["["]:
        inside = []
        while words.pop() != "]":
            inside.append(_read(words, names))
        found = found[tuple(inside) if inside[1:] else inside[0]]
    if words[-1:] == ["|"]:
        words.pop()
        found |= _read(words, names)
    return found


def _record_decoder(kind: type[Any]) -> Callable[[Any], Any]:
    parts = _Parts(kind)

    def make(data: Any) -> Any:
        return kind(**{k: parts[k](v) for k, v in data.items()})

    return make
