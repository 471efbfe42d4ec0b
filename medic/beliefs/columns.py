"""What outcomes tell: their chances by cause, and how much of several tells together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter

from medic.records import dataclass

SAME_FAMILY = 0.6


@dataclass(frozen=True)
class Columns:
    """P(outcome | cause) by cause place: ``usual`` where a cause has no link, ``odd`` elsewhere."""

    outcomes: tuple[str, ...]
    usual: tuple[float, ...]
    odd: Mapping[int, tuple[float, ...]]

    @cached_property
    def linked(self) -> Callable[[Sequence[float]], Sequence[float]]:
        """Takes the values of the causes that have a link from those of all, by place."""
        places = tuple(self.odd)
        if len(places) > 1:
            return itemgetter(*places)  # of one it gives the value itself
        return lambda values: [values[i] for i in places]

    @cached_property
    def by_outcome(self) -> tuple[tuple[float, ...], ...]:
        """P(outcome | cause) of these, a row an outcome."""
        return tuple(zip(*self.odd.values(), strict=True)) or ((),) * len(self.usual)

    @cached_property
    def entropy(self) -> tuple[float, tuple[float, ...]]:
        """In nats, of the outcome: ``usual``, and of these."""
        return entropy(self.usual), tuple(map(entropy, self.odd.values()))


def entropy(chances: Sequence[float]) -> float:
    total = 0.0
    for p in chances:
        if p > 0:
            total -= p * math.log(p)
    return total


def discounted(
    checks: list[tuple[str, str, dict[int, float]]],
) -> list[tuple[float, dict[int, float]]]:
    """Correlated evidence counts less: the n-th strongest of a family has weight .6^n."""
    families: dict[str, list[tuple[float, str, dict[int, float]]]] = defaultdict(list)
    for family, name, bearing in checks:
        strength = max(map(abs, bearing.values()))
        families[family].append((-round(strength, 12), name, bearing))
    result = []
    for family in sorted(families):
        ordered = sorted(families[family], key=lambda x: (x[0], x[1]))
        result += [(SAME_FAMILY**n, bearing) for n, (_, _, bearing) in enumerate(ordered)]
    return result
