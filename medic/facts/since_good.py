"""What differs between a run and one that worked."""

from __future__ import annotations

from typing import Literal

from medic.facts.files import Source
from medic.records import dataclass, field

Kind = Literal["config", "data", "version", "node", "speed", "curve"]


@dataclass(frozen=True)
class Difference:
    """One thing that differs: its value in both runs ("" where one does not state it), each with
    its place."""

    kind: Kind
    name: str
    now: str
    good: str
    now_at: Source = field(default_factory=Source)
    good_at: Source = field(default_factory=Source)


@dataclass(frozen=True)
class SinceGood:
    """All differences, the most telling kind first; ``compared`` are the kinds that both runs
    tell of, whether or not they differ there; of the rest ``only_now`` and ``only_good`` are those
    that one of them tells of. ``slower``: the speed by which the run is slower than it was."""

    differences: tuple[Difference, ...] = ()
    compared: tuple[Kind, ...] = ()
    only_now: tuple[Kind, ...] = ()
    only_good: tuple[Kind, ...] = ()
    slower: Difference | None = None
