"""What an estimate says of a card, wherever it is told."""

from __future__ import annotations

from typing import Literal

from medic.facts import MemoryEstimate
from medic.facts.memory import fitting

Verdict = Literal[
    "fits", "probably-fits", "tight", "probably-not", "does-not-fit", "at-least", "unknown"
]

# Of measured steps (tests/memory) 98% peaked within this share of their estimate.
NEAR = 0.1


def verdict_of(found: MemoryEstimate, capacity: int | None) -> Verdict:
    """Of a card of ``capacity`` bytes. Where the high bound is not ``fitting`` and the estimate is below the
    capacity it is ``tight`` by less than ``NEAR``, ``probably-fits`` by more. ``at-least``: terms that were
    never measured leave only the lower bound."""
    if found.low is None or capacity is None:
        return "unknown"
    if found.low > capacity:
        return "does-not-fit"
    if found.estimate is None and (found.states_likely or 0) > capacity:
        return "probably-not"  # the states alone, whatever the batch
    if found.not_measured:
        return "at-least"
    if found.estimate is None or found.high is None:
        return "unknown"
    if found.estimate > capacity:
        return "probably-not"
    if found.high <= fitting(capacity):
        return "fits"
    return "tight" if found.estimate * (1 + NEAR) > capacity else "probably-fits"


def beside(found: MemoryEstimate, capacity: int) -> int:
    """Bytes that are left of the card, or too much for it, by what the verdict rests on."""
    likely = found.states_likely if found.estimate is None else found.estimate
    sure = verdict_of(found, capacity) == "does-not-fit"
    return abs(capacity - ((found.low if sure else likely) or 0))
