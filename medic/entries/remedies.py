"""Remedies and the procedures that some of them are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from medic.entries.words import CONFIG, Compute, Experiment, Level
from medic.i18n import Text
from medic.records import dataclass, field


@dataclass(frozen=True)
class Set:
    """A field's new value: a constant, or the name of a computation in medic/changes."""

    __pydantic_config__ = CONFIG
    set: str | int | float | bool | None = None
    compute: Compute | None = None


@dataclass(frozen=True)
class Costs:
    __pydantic_config__ = CONFIG
    minutes: float
    say: Text


@dataclass(frozen=True)
class WorkedIf:
    """What a re-scan tests: these symptoms are gone, and the run is this many steps further."""

    __pydantic_config__ = CONFIG
    gone: str | tuple[str, ...] = ()
    after_steps: int = 0
    passes: str = ""  # a check that must see its normal outcome


@dataclass(frozen=True)
class Remedy:
    """``not_when``: sayings of the vocabulary; a text that says one of them tells that the remedy is
    out of reach. ``starts_from``: checks whose findings are told beside it, for they name where it
    begins. ``first_when``: one or more outcomes by check; where one is seen it leads the remedies of its cause."""

    __pydantic_config__ = CONFIG
    name: str
    title: Text
    kind: Literal["config", "command", "code", "procedure"]
    safe: bool
    costs: Costs
    success: Level
    do: Text
    worked_if: WorkedIf
    needs: tuple[str, ...] = ()
    changes: Mapping[str, Set] = field(default_factory=dict)
    check: Text | None = None
    command: str = ""
    snippet: str = ""
    procedure: str = ""
    not_when: tuple[str, ...] = ()
    starts_from: tuple[str, ...] = ()
    first_when: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)

    def leading(self) -> Iterator[tuple[str, str]]:
        """(check, outcome) of what makes it the first."""
        for check, outcomes in self.first_when.items():
            for outcome in (outcomes,) if isinstance(outcomes, str) else outcomes:
                yield check, outcome


@dataclass(frozen=True)
class Step:
    """One step of a procedure. ``outcomes``: what may come out -> the next step, a cause or done;
    ``titles`` says each in words. ``emit`` writes files made from the user's own config."""

    __pydantic_config__ = CONFIG
    name: str
    do: Text
    outcomes: Mapping[str, str]
    command: str = ""
    snippet: str = ""
    minutes: float = 1.0
    titles: Mapping[str, Text] = field(default_factory=dict)
    emit: Experiment | None = None


@dataclass(frozen=True)
class Procedure:
    __pydantic_config__ = CONFIG
    name: str
    title: Text
    steps: tuple[Step, ...]
