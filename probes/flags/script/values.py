"""What a name can stand for while a training script is read without running it.

Plain strings, numbers, tuples, lists and dicts stand for themselves; all that is not a literal or
made of literals is ``UNKNOWN``.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from medic.facts import Option
from medic.records import dataclass, field

Value = Any


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()


@dataclass(frozen=True)
class External:
    """Something imported from a package that is not given, or a builtin, by its dotted name."""

    name: str


MISSING = External("dataclasses.MISSING")
BOOL = External("builtins.bool")


@dataclass(frozen=True)
class Subscripted:
    """A parametrised type: ``Optional[int]``, ``list[str]``, ``int | None``."""

    origin: Value
    arguments: tuple[Value, ...]


@dataclass
class Scope:
    """Names of a module, class or function."""

    names: dict[str, Value] = field(default_factory=dict)
    parent: Scope | None = None
    file: str = ""
    package: str = ""  # dotted name of the module's package
    text_types: bool = False  # ``from __future__ import annotations``
    is_class: bool = False
    returns: list[Value] = field(default_factory=list)
    outer: set[str] = field(default_factory=set)  # names that a ``global`` statement lists

    def set(self, name: str, value: Value) -> None:
        scope = self
        if name in self.outer:
            while scope.parent is not None:
                scope = scope.parent
        scope.names[name] = value

    def get(self, name: str) -> Value:
        scope: Scope | None = self
        while scope is not None:
            # The body of a method does not see the names of its class.
            if name in scope.names and (scope is self or not scope.is_class):
                return scope.names[name]
            scope = scope.parent
        return External(f"builtins.{name}") if name in BUILTINS else UNKNOWN


BUILTINS = frozenset(
    """
    all any bool dict enumerate filter float frozenset getattr hasattr int isinstance issubclass
    len list map max min next object open print range repr reversed set setattr sorted str super
    tuple type vars zip
    """.split()  # noqa: SIM905
)


@dataclass
class Module:
    name: str
    scope: Scope


@dataclass(eq=False)
class Function:
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: dict[str, Value] = field(default_factory=dict)
    owner: Value = None  # the object it is bound to
    of_class: Class | None = None  # the class that defines it
    kind: str = "plain"  # plain | staticmethod | classmethod | property
    click: list[Option] = field(default_factory=list)
    click_open: bool = False


@dataclass(eq=False)
class Class:
    name: str
    scope: Scope
    bases: tuple[Value, ...] = ()
    own_fields: tuple[Field, ...] = ()
    decorators: tuple[str, ...] = ()  # last names; "" of one that is no name

    def lineage(self) -> list[Class]:
        """The given classes it is made of, bases first."""
        found: list[Class] = []
        for base in reversed(self.bases):
            if isinstance(base, Class):
                found += [c for c in base.lineage() if c not in found]
        return [*found, self]

    def external_bases(self) -> list[External]:
        return [b for c in self.lineage() for b in c.bases if isinstance(b, External)]

    def closed(self) -> bool:
        """Whether every base is known, so that no field can come from elsewhere."""
        return all(
            isinstance(base, Class) or _brings_no_fields(base)
            for one in self.lineage()
            for base in one.bases
        )

    def is_dataclass(self) -> bool:
        """Whether its fields are those of its annotations: all of them, and no others."""
        own = (one.decorators for one in self.lineage() if one is self or one.own_fields)
        return self.closed() and all("dataclass" in d and _MAKE_FIELDS.issuperset(d) for d in own)

    def lent(self) -> list[str]:
        """The classes of libraries whose fields it has besides; none where a base is unknown."""
        several = [b for c in self.lineage() for b in c.bases if not isinstance(b, Class)]
        outer = [b for b in several if not _brings_no_fields(b)]
        named = [b.name for b in outer if isinstance(b, External)]
        return named if len(named) == len(outer) else []

    def fields(self) -> tuple[Field, ...]:
        found: dict[str, Field] = {}
        for one in self.lineage():
            found.update({f.name: f for f in one.own_fields})
        return tuple(found.values())

    def find(self, name: str) -> Value:
        for one in reversed(self.lineage()):
            if name in one.scope.names:
                return one.scope.names[name]
        return UNKNOWN


_MAKE_FIELDS = frozenset({"dataclass", "dataclass_json"})
_PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "BaseModel", "Enum"})


def _brings_no_fields(base: Value) -> bool:
    if isinstance(base, Subscripted):
        base = base.origin
    return isinstance(base, External) and base.name.rsplit(".", 1)[-1] in _PLAIN_BASES


@dataclass(eq=False)
class Field:
    """A dataclass field; ``default`` and ``factory`` are MISSING if there is none."""

    name: str
    type: Value
    hint: Value  # the type with text annotations resolved
    default: Value = MISSING
    factory: Value = MISSING
    metadata: Value = field(default_factory=dict)
    init: bool = True
    line: int = 0
    file: str = ""


@dataclass(eq=False)
class Instance:
    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Parser:
    """An argument parser as far as it was built; argument groups stand for their parser."""

    kind: str = "argparse"  # argparse | hf | trl | typed
    options: list[Option] = field(default_factory=list)
    complete: bool = True
    lent: list[str] = field(default_factory=list)  # dataclasses of libraries, whose fields it has
    prefixes: bool = True
    strict: bool = False  # parse_args was called on the command line
    lenient: bool = False  # parse_known_args was called on the command line
    dataclasses: int = 0  # how many were given to its constructor
    of: Class | None = None
    attributes: dict[str, Value] = field(default_factory=dict)

    def parsed(self) -> bool:
        return self.strict or self.lenient


@dataclass(frozen=True)
class Subparsers:
    parser: Parser


@dataclass(frozen=True)
class Remainder:
    """What parse_known_args left over."""

    parser: Parser


@dataclass(frozen=True)
class Super:
    owner: Value
    of: Class


@dataclass(frozen=True)
class Method:
    """A method of a value that is not defined in the given files."""

    owner: Value
    name: str


@dataclass
class ClickMark:
    """What ``click.option(…)`` or ``click.command(…)`` gives: a decorator."""

    kind: str  # option | command
    options: tuple[Option, ...] = ()
    open: bool = False
    ignores_unknown: bool = False


@dataclass(eq=False)
class ClickCommand:
    function: Function
    ignores_unknown: bool = False
    group: bool = False


@dataclass
class Arguments:
    """Arguments of a call. ``open_…`` if some came from an unknown ``*args`` or ``**kwargs``."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    open_positional: bool = False
    open_keywords: bool = False
    line: int = 0
    file: str = ""

    @property
    def every(self) -> list[Value]:
        return [*self.positional, *self.keywords.values()]

    def get(self, name: str, position: int | None = None, default: Value = None) -> Value:
        """An argument by keyword or position; UNKNOWN if it may hide in an open ``**kwargs``."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        hidden = self.open_keywords or (position is not None and self.open_positional)
        return UNKNOWN if hidden else default


def known(value: Value) -> bool:
    """Whether a value is a literal through and through."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(known(v) for v in value)
    if isinstance(value, dict):
        return all(known(k) and known(v) for k, v in value.items())
    return False


def truth(value: Value) -> bool | None:
    """Whether a value counts as true; None if that cannot be known."""
    if isinstance(value, (str, int, float, bool, type(None), list, tuple, set, dict)):
        return bool(value)
    if isinstance(value, (Parser, Class, Function, Field, Instance, Module)):
        return True
    return None


def last_name(value: Value) -> str:
    """``ArgumentParser`` of ``argparse.ArgumentParser``; empty if it is no external thing."""
    return value.name.rsplit(".", 1)[-1] if isinstance(value, External) else ""
