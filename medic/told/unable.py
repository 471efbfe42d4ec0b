"""What a person says that the hardware cannot do: a remedy that needs it is no first advice."""

from __future__ import annotations

from collections.abc import Iterable

from medic.entries import Remedy
from medic.index.knowledge import Index
from medic.match import sayings_of


def in_reach_first(remedies: Iterable[Remedy], text: str, index: Index) -> list[Remedy]:
    """Remedies in their order, those that a text says are out of reach last."""
    say = sayings_of(index)
    return sorted(remedies, key=lambda one: any(say.says(name, text) for name in one.not_when))
