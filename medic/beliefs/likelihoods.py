"""How likely each outcome of a check is, by cause: the knowledge's words as tables."""

from __future__ import annotations

from collections.abc import Mapping
from operator import mul
from typing import TYPE_CHECKING

from medic.beliefs.columns import Columns
from medic.entries.levels import (
    OTHERWISE,
    TELLTALE_OTHERWISE,
    TELLTALE_TOLD,
    TELLTALE_WEIGHT,
    UNLISTED,
    WEIGHT,
)
from medic.entries.words import TELLTALE
from medic.index.knowledge import Index
from medic.records import dataclass

if TYPE_CHECKING:
    from medic.index.ties import CheckTies

# Chance that an answer is wrong, by who gives it; set at or above the real rate.
# Doubted is a line that other programs print, too.
DOUBTED = "doubted"
ERROR = {"exact": 0.005, "heuristic": 0.05, DOUBTED: 0.05, "person": 0.08, "prose": 0.25}
# How often a text that is read for symptoms seems to report one that it does not mean.
REPORTED = 0.2


@dataclass(frozen=True)
class Seen:
    """A finding as beliefs need it: entry name, outcome, and how reliable its observer is.

    ``at``: the line that says it, "" where none does; it tells what one line says twice. ``of``: the
    symptom of which it is said, "" where it is of the run: it speaks for no cause without that one.
    """

    name: str
    outcome: str
    reliability: str = "exact"
    also: tuple[str, ...] = ()  # other symptoms that the same words may mean
    at: str = ""
    of: str = ""

    @property
    def said(self) -> tuple[str, str, str, tuple[str, ...], str]:
        """What it says, wherever it stands."""
        return self.name, self.outcome, self.reliability, self.also, self.of


class Likelihoods:
    """``places``: number of each cause; ``links``: weights by check, outcome and cause;
    ``shown``: S(symptom | cause) by symptom and place."""

    def __init__(
        self,
        index: Index,
        places: Mapping[str, int],
        links: Mapping[str, Mapping[str, Mapping[str, str]]],
        shown: Mapping[str, Mapping[int, float]],
    ) -> None:
        self.checks = index.ties.checks
        self.links = links
        self.shown = shown
        self._place = places
        self._columns: dict[tuple[str, str], Columns] = {}

    def base_rates(self, name: str) -> dict[str, float]:
        check = self.checks[name]
        rate: Mapping[str, float] = TELLTALE_OTHERWISE if name == TELLTALE else OTHERWISE
        rates = {o: rate[word] for o, word in check.outcomes.items() if word}
        rest = max(0.05, 1.0 - sum(rates.values()))
        return {o: rates.get(o, rest) for o in check.outcomes}

    def columns(self, name: str, reliability: str) -> Columns:
        """P(outcome | cause) of a check, or of a symptom taken as a question."""
        key = (name, reliability)
        if key not in self._columns:
            if name in self.checks:
                self._columns[key] = self._check(name, reliability)
            else:
                self._columns[key] = self._symptom(name, ERROR[reliability])
        return self._columns[key]

    def _check(self, name: str, reliability: str) -> Columns:
        error = ERROR[reliability]
        most, slip = self._most(reliability), self._slip(self.checks[name], reliability)
        rates = self.base_rates(name)
        base = tuple(rates.values())
        right = [(1 - error) * b for b in base]
        ratio = {weight: min(most, value) for weight, value in WEIGHT.items()}
        links = [self.links[name][outcome] for outcome in rates]
        odd = {}
        for cause in sorted({c for linked in self.links[name].values() for c in linked}):
            ratios = [ratio.get(linked.get(cause, ""), 1.0) for linked in links]
            total = sum(map(mul, base, ratios))
            odd[self._place[cause]] = tuple(
                [r * told / total + slip for r, told in zip(right, ratios, strict=True)]
            )
        return Columns(tuple(rates), tuple(r + slip for r in right), odd)

    def _symptom(self, name: str, error: float) -> Columns:
        def column(shown: float) -> tuple[float, float]:
            return (1 - error) * shown + error / 2, (1 - error) * (1 - shown) + error / 2

        odd = {i: column(s) for i, s in self.shown[name].items()}
        return Columns(("present", "absent"), column(UNLISTED), odd)

    def outcome(self, seen: Seen) -> tuple[float, dict[int, float]] | None:
        """P(outcome) as usual, and of the causes that bear on it; None: there is no such outcome."""
        if seen.name == TELLTALE:
            return self._telltale(seen)
        columns = self.columns(seen.name, seen.reliability)
        if seen.outcome not in columns.outcomes:
            return None
        at = columns.outcomes.index(seen.outcome)
        odd = {place: column[at] for place, column in columns.odd.items()}
        if seen.of:
            shows = self.shown.get(seen.of, {})
            odd = {p: min(r, columns.usual[at]) if p not in shows else r for p, r in odd.items()}
        return columns.usual[at], odd

    def _telltale(self, seen: Seen) -> tuple[float, dict[int, float]] | None:
        """As of any check; a cause's own words have no bearing on the others' links."""
        check = self.checks[TELLTALE]
        if seen.outcome not in check.outcomes:
            return None
        # A text that is read wrongly may seem to hold any of the words.
        slip = ERROR[seen.reliability] / len(check.outcomes)
        error, base = ERROR[seen.reliability], self._telltale_base(check, seen.outcome)
        odd = {}
        for cause, weight in self.links[TELLTALE][seen.outcome].items():
            ratio = TELLTALE_WEIGHT.get(weight, WEIGHT[weight])
            if seen.reliability != "exact":
                doubted = seen.reliability == DOUBTED
                ratio = min(ratio, TELLTALE_WEIGHT["strong"] if doubted else TELLTALE_TOLD)
            total = 1 + base * (ratio - 1)
            odd[self._place[cause]] = (1 - error) * base * ratio / total + slip
        return (1 - error) * base + slip, odd

    def _telltale_base(self, check: CheckTies, outcome: str) -> float:
        otherwise = check.outcomes[outcome]
        return TELLTALE_OTHERWISE[otherwise] if otherwise else 1.0

    def _slip(self, check: CheckTies, reliability: str) -> float:
        """The chance that a misread answer is this one."""
        error = ERROR[reliability]
        return error * REPORTED if reliability == "prose" else error / len(check.outcomes)

    def _most(self, reliability: str) -> float:
        """What a sentence says is a strong finding at most."""
        return WEIGHT["strong" if reliability == "prose" else "confirms"]
