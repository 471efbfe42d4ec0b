"""What one file or command states, and how the statements of one file settle to one a field."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from medic.facts import Document, GivenFile
from medic.records import dataclass, field, replace
from medic.run_config import NOBODYS, Origin, Scalar, Setting, Value

from .keys import Framework

# Said of a switch that may not be on together with the ruling one.
EXCLUSIVE = "exclusive"
_RATES = {"lr", "learning_rate"}


@dataclass(frozen=True)
class Carrier:
    """One place that states a field; ``rank`` is the place of its key in the framework's list.

    The value is None where the place states something that cannot be known here.
    """

    field: str
    value: Scalar
    origin: Origin
    rank: int = 0
    switch: bool = False  # one of several keys that turn a value of the field on each: bf16, fp16


@dataclass(frozen=True)
class Stated:
    """A file or a command with the framework it speaks for and what it states."""

    name: str
    framework: Framework
    values: Mapping[str, Value]
    unknown: frozenset[str] = frozenset()  # fields stated by something that is not known here
    document: Document | None = None
    given: GivenFile | None = None
    mentions: frozenset[str] = field(default_factory=frozenset)
    settings: tuple[Setting, ...] = ()

    @property
    def role(self) -> str:
        return self.framework.role


def same(one: Scalar, other: Scalar) -> bool:
    """Whether two values mean the same; floats to seven digits."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-7)
    return one == other


def exclusive(one: Carrier, other: Carrier) -> bool:
    """Two switches side by side of which at most one may be on: bf16 and fp16."""
    a, b = one.origin.path, other.origin.path
    beside = len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
    return one.switch and other.switch and beside and not same(one.value, other.value)


def twins(a: Origin, b: Origin) -> bool:
    """Whether one block of a file that no framework reads calls the rate by both of its names."""
    nobodys = a.framework in NOBODYS and b.framework in NOBODYS
    return nobodys and a.path[:-1] == b.path[:-1] and {*a.path[-1:], *b.path[-1:]} == _RATES


def settle(carriers: Iterable[Carrier]) -> dict[str, Value]:
    """One value a field: the key that comes first in the entry rules, then the path that is
    shorter. Two equally good places that differ leave the field unknown; other places that state
    the same are kept as carriers.
    """
    by_field: dict[str, list[Carrier]] = {}
    for carrier in carriers:
        by_field.setdefault(carrier.field, []).append(carrier)
    settled: dict[str, Value] = {}
    for name, places in by_field.items():
        known = [c for c in places if c.value is not None]
        if not known:
            continue
        ordered = sorted(known, key=lambda c: (c.rank, len(c.origin.path)))
        first = ordered[0]
        rivals = [
            c
            for c in ordered
            if (c.rank, len(c.origin.path)) == (first.rank, len(first.origin.path))
        ]
        if any(not same(c.value, first.value) for c in rivals):
            continue
        spans = {first.origin.span}
        also = []
        for other in ordered[1:]:
            if same(other.value, first.value) and other.origin.span not in spans:
                spans.add(other.origin.span)
                also.append((other.value, other.origin))
            elif twins(other.origin, first.origin):
                also.append((other.value, other.origin))
            elif exclusive(other, first):
                also.append((other.value, replace(other.origin, note=EXCLUSIVE)))
        settled[name] = Value(first.value, first.origin, tuple(also))
    return settled


def unknown(carriers: Iterable[Carrier], settled: Mapping[str, Value]) -> frozenset[str]:
    """Fields that are stated, but to no value that is known."""
    return frozenset(c.field for c in carriers if c.field not in settled)
