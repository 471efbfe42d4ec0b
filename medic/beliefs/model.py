"""What to believe: a pure function of the graph and the findings.

One cause variable (every cause, plus none-of-these), naive Bayes over symptoms and check outcomes.
Authors write words; medic/entries/levels.py turns them into numbers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

from medic.beliefs.columns import Columns, discounted
from medic.beliefs.conditions import Context, affected, applies, prior_level
from medic.beliefs.likelihoods import DOUBTED, ERROR, REPORTED, Likelihoods, Seen
from medic.entries.levels import (
    NONE_PRIOR,
    NONE_SHOWS,
    PRIOR,
    SHOWN,
    TELLTALE_UNSEEN,
    UNLISTED,
    WEIGHT,
)
from medic.entries.words import TELLTALE
from medic.index.knowledge import Index
from medic.records import dataclass

TOLD = ("person", "prose")
NOT_SEEN_WEIGHT = 0.1
TRIED = math.log(0.06)
RULED = math.log(1e-12)  # of a cause that the user rules out by hand
NONE = "none-of-these"


@dataclass(frozen=True)
class Beliefs:
    """Chances by cause name; ``none`` is the chance that the cause is not in the graph."""

    chance: Mapping[str, float]
    none: float

    @cached_property
    def ranked(self) -> list[str]:
        return sorted(sorted(self.chance), key=self.chance.__getitem__, reverse=True)

    @property
    def leader(self) -> str:
        return self.ranked[0]

    def word(self, cause: str) -> str:
        return word(self.chance.get(cause, self.none if cause == NONE else 0.0))


def word(chance: float) -> str:
    """The word that screens show for a chance."""
    for bar, name in ((0.95, "almost-certain"), (0.6, "likely"), (0.15, "possible")):
        if chance >= bar:
            return name
    return "unlikely"


class Model:
    """The graph's words as numbers, computed once per knowledge and context."""

    def __init__(
        self,
        index: Index,
        context: Context | None = None,
        likeness: Mapping[str, float] | None = None,
    ) -> None:
        """``likeness``: log ratios by cause, of what a person wrote."""
        self.index = index
        self.likeness = likeness or {}
        self.ruled: frozenset[str] = frozenset()
        self.context = context or Context()
        self.ties = index.ties.causes
        self.causes = [name for name in self.ties if self._applies(name)]
        self.classes = [self.ties[name].remedy for name in self.causes]
        self.remedy = dict(zip(self.causes, self.classes, strict=True))
        self._place = {name: i for i, name in enumerate(self.causes)}
        self.links: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        for name in self.causes:
            for check, outcome, weight in self.ties[name].links:
                self.links[check][outcome][name] = weight
        self.log_prior = self._priors()
        self.shown = self._symptom_table()
        self._printing = self._printed()
        self.told = Likelihoods(index, self._place, self.links, self.shown)
        self._shows: dict[tuple[Any, ...], list[tuple[int, float]]] = {}
        self._bears: dict[tuple[Any, ...], dict[int, float]] = {}

    def of(self, likeness: Mapping[str, float], ruled: Iterable[str] | None = None) -> Model:
        """The same graph and context, for what another person wrote; ``ruled``: the causes that
        they rule out by hand, as before where it is None."""
        other = copy(self)
        other.likeness = likeness
        other.ruled = self.ruled if ruled is None else frozenset(ruled)
        return other

    # --- priors and symptoms ----------------------------------------------------------------

    def _applies(self, name: str) -> bool:
        return not self._depends(name) or applies(self.index.causes[name], self.context)

    def _affected(self, name: str) -> bool | None:
        depends = self._depends(name)
        return affected(self.index.causes[name], self.context) if depends else None

    def _depends(self, name: str) -> bool:
        """Whether a known fact may rule the cause out: others need not be decoded for it."""
        if not self.ties[name].conditional:
            return False
        raw, facts = self.index.raw["causes"][name], self.context.facts
        asked = {*raw.get("applies_when", ()), *(("versions",) if raw.get("versions") else ())}
        return not asked.isdisjoint(facts)

    def _priors(self) -> list[float]:
        levels = [
            PRIOR[prior_level(self.ties[name], self.context, affected=self._affected(name))]
            for name in self.causes
        ]
        total = sum(levels) or 1.0
        known = [math.log((1 - NONE_PRIOR) * p / total) for p in levels]
        return [*known, math.log(NONE_PRIOR)]

    def _symptom_table(self) -> dict[str, dict[int, float]]:
        """S(symptom | cause) by place of those that list it, with S(symptom | none) last."""
        table: dict[str, dict[int, float]] = {s: {} for s in self.index.raw["symptoms"]}
        for i, name in enumerate(self.causes):
            for symptom, level in self.ties[name].shows:
                table[symptom][i] = SHOWN[level]
        priors = [math.exp(p) for p in self.log_prior[:-1]]
        total = sum(priors) or 1.0
        low, high = NONE_SHOWS
        for row in table.values():
            more = sum(priors[i] * (s - UNLISTED) for i, s in row.items())
            row[len(self.causes)] = min(high, max(low, UNLISTED + more / total))
        return table

    def columns(self, name: str, reliability: str) -> Columns:
        """P(outcome | cause) of a check, or of a symptom taken as a question."""
        return self.told.columns(name, reliability)

    # --- beliefs ----------------------------------------------------------------------------

    def beliefs(self, findings: Iterable[Seen], tried: Iterable[str] = ()) -> Beliefs:
        """Chances after the findings; ``tried`` names remedy classes that did not help."""
        return self.named(self.chances(list(findings), frozenset(tried)))

    def named(self, chances: Sequence[float]) -> Beliefs:
        """The same by name."""
        *known, none = chances
        return Beliefs(dict(zip(self.causes, known, strict=True)), none)

    def chances(self, findings: Sequence[Seen], tried: frozenset[str]) -> list[float]:
        """By cause place, with that of none-of-these last."""
        score = self.scores(findings, tried)
        top = max(score)
        weights = [math.exp(s - top) for s in score]
        total = sum(weights)
        return [w / total for w in weights]

    def scores(self, findings: Sequence[Seen], tried: frozenset[str] = frozenset()) -> list[float]:
        score = self._start()
        answers: dict[str, list[Seen]] = defaultdict(list)
        once = {seen.said: seen for seen in findings}
        for _, seen in sorted(once.items()):
            if seen.name in self.index.ties.checks:
                answers[seen.name].append(seen)
            elif seen.name in self.shown:
                self._add_symptom(score, seen)
        for place in self._unprinted(findings):
            score[place] += math.log(TELLTALE_UNSEEN)
        checks: list[tuple[str, str, dict[int, float]]] = []
        for name, told in answers.items():
            bearing = self._bearing(told) if len(told) > 1 else self._bearing_of_one(told[0])
            if bearing:
                checks.append((self.index.ties.checks[name].family, name, bearing))
        for weight, bearing in discounted(checks):
            for place, value in bearing.items():
                score[place] += weight * value
        for i, name in enumerate(self.classes if tried else ()):
            if name in tried:
                score[i] += TRIED
        return score

    def _start(self) -> list[float]:
        """Before any finding: how common each is, and what a person wrote and rules out."""
        score = [*self.log_prior]
        for name, more in self.likeness.items():
            place = len(self.causes) if name == NONE else self._place.get(name)
            if place is not None:
                score[place] += more
        for name in self.ruled & self._place.keys():
            score[self._place[name]] += RULED
        return score

    def _bearing_of_one(self, seen: Seen) -> dict[int, float]:
        """What ``_bearing`` tells of one answer, worked out once: nearly all checks have one."""
        if seen.said not in self._bears:
            self._bears[seen.said] = self._bearing([seen])
        return self._bears[seen.said]

    def _bearing(self, told: Sequence[Seen]) -> dict[int, float]:
        """ln P(answer | cause) / P(answer | none) of the causes that it bears on; of words that
        several causes print, that it was any of them but those that the others rule out."""
        usual, odd = 0.0, defaultdict[int, float](float)
        for seen in told:
            found = self.told.outcome(seen)
            if found is not None:
                for place, chance in found[1].items():
                    odd[place] += chance - found[0]
                usual += found[0]
        bearing = {place: math.log((usual + more) / usual) for place, more in odd.items()}
        return bearing | dict.fromkeys(self._ruled_out(told), math.log(WEIGHT["rules-out"]))

    def _ruled_out(self, told: Sequence[Seen]) -> Iterator[int]:
        """Causes whose words are a part of those that a narrower one prints, and that rule it out."""
        for seen in told:
            if (
                seen.name == TELLTALE
                and seen.reliability == "exact"
                and seen.outcome in self._place
            ):
                for cause, weight in self.links[TELLTALE][seen.outcome].items():
                    if weight == "rules-out":
                        yield self._place[cause]

    def _unprinted(self, findings: Sequence[Seen]) -> Iterator[int]:
        """Causes that always show a symptom whose lines were read, but none of their own words."""
        read = {f.name for f in findings if f.outcome == "present" and f.reliability == "exact"}
        printed = {f.outcome for f in findings if f.name == TELLTALE}
        places = {place for symptom in read for place in self._printing.get(symptom, ())}
        for place in sorted(places):
            if self.causes[place] not in printed:
                yield place

    def _printed(self) -> Mapping[str, list[int]]:
        """By symptom: places of the causes with a message of their own that always show it."""
        found: dict[str, list[int]] = defaultdict(list)
        for name, place in self._place.items():
            if self.ties[name].prints:
                for symptom, level in self.ties[name].shows:
                    if level == "always":
                        found[symptom].append(place)
        return found

    def _add_symptom(self, score: list[float], seen: Seen) -> None:
        if seen.said not in self._shows:
            self._shows[seen.said] = list(self._symptom_ratios(seen))
        for place, ratio in self._shows[seen.said]:
            score[place] += ratio

    def _symptom_ratios(self, seen: Seen) -> Iterator[tuple[int, float]]:
        """(place, log ratio), relative to a cause that does not list the symptom."""
        row = dict(self.shown[seen.name])
        if seen.outcome != "present":
            for i, s in row.items():
                yield i, NOT_SEEN_WEIGHT * math.log((1 - s) / (1 - UNLISTED))
            return
        error = 0.0 if seen.reliability == "exact" else ERROR[seen.reliability]
        for name in seen.also:
            for i, s in self.shown[name].items():
                row[i] = max(s, row.get(i, 0.0))
        read = seen.reliability in ("prose", "heuristic", DOUBTED)
        base = REPORTED if read else row[len(self.causes)]
        usual = (1 - error) * UNLISTED + error * base
        for i, s in row.items():
            yield i, math.log(((1 - error) * s + error * base) / usual)


def model_of(index: Index, context: Context) -> Model:
    """The model of a context, worked out once for each knowledge."""
    kept: dict[str, Model] = index.kept
    key = repr(sorted(context.facts.items()))
    if key not in kept:
        kept[key] = Model(index, context)
    return kept[key]
