"""Dataclasses that are built when the first instance is made.

Building one costs about 0.6 ms, and a start declares about 150 of which it uses a third. To a type
checker this is ``dataclasses.dataclass``; at run time the class behaves as one from the first
instance, ``fields()`` or ``match`` on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """``dataclasses.dataclass`` without ``slots`` (which would need another class)."""
        if cls is None:
            return lambda decorated: _declare(decorated, options)
        return _declare(cls, options)


_building = RLock()  # probes run in threads


def _declare(cls: type[Any], options: dict[str, Any]) -> type[Any]:
    def build() -> None:
        with _building:
            if isinstance(cls.__dict__["__match_args__"], _Late):
                _build(cls, options)

    def init(self: Any, *values: Any, **named: Any) -> None:
        build()
        cls.__init__(self, *values, **named)

    cls.__init__ = init
    for name in ("__dataclass_fields__", "__match_args__"):
        setattr(cls, name, _Late(build, cls, name))
    return cls


def _build(cls: type[Any], options: dict[str, Any]) -> None:
    """Replaces ``__init__`` last, and at once: another thread may be calling the one that waits.

    It comes from a subclass that adds nothing, for ``dataclass`` keeps an ``__init__`` that it
    finds.
    """
    dataclasses.dataclass(init=False, match_args=False, **options)(cls)
    same = type(cls.__name__, (cls,), {"__qualname__": cls.__qualname__})
    frozen = options.get("frozen", False)
    made: type[Any] = dataclasses.dataclass(repr=False, eq=False, match_args=False, frozen=frozen)(
        same
    )
    cls.__init__ = made.__init__
    named = tuple(f.name for f in dataclasses.fields(cls) if f.init)
    cls.__match_args__ = named  # type: ignore[misc]


class _Late:
    """A class attribute that exists once the class is built."""

    def __init__(self, build: Callable[[], None], cls: type[Any], name: str) -> None:
        self.build, self.cls, self.name = build, cls, name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        self.build()
        return getattr(self.cls, self.name)
