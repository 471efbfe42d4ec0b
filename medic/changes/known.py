"""What a computation may read: the run config, the changes already made, facts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from medic.i18n import Text
from medic.records import dataclass, field
from medic.run_config import OVERRIDDEN, Change, RunConfig, Scalar

T = TypeVar("T")


class MissingError(Exception):
    """Fields, or facts of the machine, without which nothing can be computed."""

    def __init__(self, *names: str) -> None:
        super().__init__(", ".join(names))
        self.names = names


class ImpossibleError(Exception):
    """Everything is known and no value fits; ``why`` says what else there is."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


@dataclass(frozen=True)
class Known:
    """The run as it will be once the values in ``new`` are written."""

    config: RunConfig
    facts: Mapping[type[Any], Any] = field(default_factory=dict)
    exact: Sequence[Change] = ()  # repairs that a probe already knows
    new: Mapping[str, Scalar] = field(default_factory=dict)

    def number(self, name: str) -> float:
        """A positive number. Raises MissingError, ImpossibleError where places disagree."""
        agreed(self.config, name)
        new = self.new.get(name)
        value = new if new is not None else self.config.number(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            raise MissingError(name)
        return float(value)

    def whole(self, name: str) -> int:
        """A positive whole number. Raises MissingError."""
        value = self.number(name)
        if value != int(value):
            raise MissingError(name)
        return int(value)

    def wholes(self, *names: str) -> list[int]:
        """Several, naming all that are missing."""
        missing = [name for name in names if not self.has(name)]
        if missing:
            raise MissingError(*missing)
        return [self.whole(name) for name in names]

    def has(self, *names: str) -> bool:
        try:
            for name in names:
                self.whole(name)
        except MissingError:
            return False
        return True

    def states(self, name: str) -> bool:
        """Whether the user wrote the value down, as a positive whole number."""
        return self.config.stated(name) and self.has(name)

    def fact(self, kind: type[T]) -> T | None:
        found = self.facts.get(kind)
        return found if isinstance(found, kind) else None


def agreed(config: RunConfig, *names: str) -> None:
    """Raises ImpossibleError if two places of the run state one of the fields differently.

    A carrier that is meant to be overridden (a flag over the file of its program) is no conflict.
    """
    for name in names:
        value = config.values.get(name)
        for other, origin in value.also if value is not None else ():
            if value is not None and origin.note != OVERRIDDEN and _differ(value.value, other):
                text = Text(
                    "{name} is {one} in {here} and {other} in {there}: agree on one value first",
                    "{name} 在 {here} 中为 {one}，在 {there} 中为 {other}：请先统一为一个值",
                )
                here, there = value.origin.where(), origin.where()
                one = value.value
                raise ImpossibleError(
                    text.fill(name=name, one=one, other=other, here=here, there=there)
                )


def _differ(one: Scalar, other: Scalar) -> bool:
    numbers = [v for v in (one, other) if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return not math.isclose(*numbers, rel_tol=1e-7) if len(numbers) == 2 else one != other


@dataclass(frozen=True)
class Computed:
    """A field's new value and the arithmetic behind it, as the user reads it."""

    value: Scalar
    why: Text
