"""What an open look is worth: its information, what would lead after each outcome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import log
from operator import mul

from medic.beliefs.columns import Columns, entropy
from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import NONE, NOT_SEEN_WEIGHT, Model
from medic.planner.standing import BAR, Standing, standing
from medic.records import dataclass

MIN_INFORMATION = 0.002  # nats; below it a question cannot pay
STEP_OVERHEAD = 0.15  # minutes that any question costs on top
EXPERT_MINUTES = 480.0  # what giving up costs: a day of somebody's time
SHORTLIST = 10
LIKELY_OUTCOME = 0.02
# The causes that a question parts where nothing but words is known: so near to the leader, and at most
# so many. Over the faults of tests/simulation.py with a few words each (250, a fifth of the likeness,
# six answers) the first cause is right in 71% instead of 62%, one of three in 81% instead of 70%.
NEAR_LEADER, SUSPECTS = 0.05, 12
# Who describes what goes wrong names it: a symptom that he left out is there less often than in a log
# that nobody has read, and a question about it tells less.
UNSAID = 0.25
# Below this share of the leader's chance no answer lifts a cause to where it could matter.
LIVE = 1e-4
REFUTING_MINUTES = 2.0


@dataclass(frozen=True)
class Open:
    """A check or symptom nobody has looked at yet, and what a look costs in minutes."""

    name: str
    minutes: float
    reliability: str = "person"


@dataclass(frozen=True)
class Flip:
    """If ``outcome`` is seen, ``leader`` leads."""

    outcome: str
    chance: float
    leader: str


@dataclass(frozen=True)
class NextLook:
    look: Open
    flips: tuple[Flip, ...]
    refutes: bool = False


class Told:
    """What a look tells of the causes that are still live, and how likely each outcome is."""

    def __init__(self, columns: Columns, live: set[int], chances: Sequence[float]) -> None:
        """``chances``: 0 of a cause that is not live, which has no part in the sums."""
        self._columns, self._live = columns, live
        self.outcomes, self.usual = columns.outcomes, columns.usual
        linked = columns.linked(chances)
        rest = 1 - sum(linked)
        self.chances = [
            usual * rest + sum(map(mul, linked, row))
            for usual, row in zip(self.usual, columns.by_outcome, strict=True)
        ]
        usual, odd = columns.entropy
        within = rest * usual + sum(map(mul, linked, odd))
        # Mutual information of the outcome and the cause, in nats.
        self.information = entropy(self.chances) - within

    @cached_property
    def odd(self) -> dict[int, tuple[float, ...]]:
        """The columns of the live causes that have a link."""
        return {i: column for i, column in self._columns.odd.items() if i in self._live}


class Now:
    """The state that looks are weighed against: chances, remedy classes."""

    def __init__(
        self,
        model: Model,
        findings: Sequence[Seen],
        tried: frozenset[str],
        *,
        words_alone: bool = False,
    ) -> None:
        self.model = model
        self._unsaid = UNSAID if words_alone else 1.0
        self.chances = model.chances(findings, tried)
        least = LIVE * max(self.chances)
        self.live = {i for i, c in enumerate(self.chances) if c >= least}
        self._lasting = [c if c >= least else 0.0 for c in self.chances]
        self._told: dict[tuple[str, str], Told] = {}
        self.by_class: dict[str, float] = defaultdict(float)
        for name, chance in zip(model.classes, self.chances, strict=False):
            self.by_class[name] += chance

    @cached_property
    def order(self) -> list[int]:
        """Places, the most likely first."""
        return sorted(range(len(self.chances)), key=self.chances.__getitem__, reverse=True)

    @cached_property
    def suspects(self) -> dict[int, float]:
        """Places of the causes that are near the leader, and the share of each among them."""
        known = [i for i in self.order if i < len(self.model.causes)][:SUSPECTS]
        near = [i for i in known if self.chances[i] >= NEAR_LEADER * self.chances[known[0]]]
        total = sum(self.chances[i] for i in near)
        return {i: self.chances[i] / total for i in near} if total else {}

    def parts(self, look: Open) -> float:
        """How far an answer moves the suspects, in nats: how likely it is times its divergence. Of a
        symptom "no" moves little, as beliefs take it."""
        columns = self.model.columns(look.name, look.reliability)
        shares, moved = list(self.suspects.values()), 0.0
        rows = [columns.odd.get(i, columns.usual) for i in self.suspects]
        for o, outcome in enumerate(columns.outcomes):
            told = [row[o] for row in rows]
            weak = outcome == "absent" and look.name in self.model.shown
            taken = [p**NOT_SEEN_WEIGHT for p in told] if weak else told
            total = sum(map(mul, shares, taken))
            tells = sum(s * t * log(t / total) for s, t in zip(shares, taken, strict=True) if t)
            moved += sum(map(mul, shares, told)) * tells / total
        return moved

    def told(self, look: Open) -> Told:
        key = (look.name, look.reliability)
        told = self._told.get(key)
        if told is None:
            told = self._told[key] = Told(self.model.columns(*key), self.live, self._lasting)
        return told

    def flips(self, look: Open) -> tuple[Flip, ...]:
        """Who would lead after each outcome."""
        told = self.told(look)
        free = next((i for i in self.order if i not in told.odd), None)
        found = []
        for o, chance in enumerate(told.chances):
            after = {i: self.chances[i] * c[o] for i, c in told.odd.items()}
            if free is not None:
                after[free] = self.chances[free] * told.usual[o]
            best = max(after, key=lambda i: (after[i], -i))
            leader = NONE if best == len(self.model.causes) else self.model.causes[best]
            found.append(Flip(told.outcomes[o], chance, leader))
        return tuple(found)

    def unsaid(self, look: Open) -> float:
        """What is left of the worth of a look: less of a symptom that a description left out."""
        return self._unsaid if look.name in self.model.shown else 1.0

    def matters(self, look: Open, stand: Standing) -> bool:
        """An outcome that may come changes the leading remedy, lifts it over the bar, or puts
        none-of-these ahead."""
        told = self.told(look)
        none = len(self.model.causes)
        for o, chance in enumerate(told.chances):
            said = self.unsaid(look) if told.outcomes[o] == "present" else 1.0
            if chance * said < LIKELY_OUTCOME:
                continue
            mass = {name: told.usual[o] * p for name, p in self.by_class.items()}
            unknown = told.usual[o] * self.chances[none]
            for i, column in told.odd.items():
                more = (column[o] - told.usual[o]) * self.chances[i]
                if i == none:
                    unknown += more
                else:
                    mass[self.model.classes[i]] += more
            most = max(mass.values())
            best = min(name for name, chance in mass.items() if chance == most)
            lifted = stand.chance < BAR <= mass.get(stand.remedy, 0.0) / chance
            if best != stand.remedy or lifted or unknown > most:
                return True
        return False


def next_look(
    model: Model,
    findings: Sequence[Seen],
    tried: frozenset[str],
    opened: Sequence[Open],
    *,
    words_alone: bool = False,
) -> NextLook | None:
    """The open look that is most worth its time, or None if none can change the verdict.

    ``words_alone``: there is no evidence but what a person says. Many causes are a little likely
    then, and what tells most of all of them says little of those that lead: these are parted.
    """
    now = Now(model, findings, tried, words_alone=words_alone)
    stand = standing(model, model.named(now.chances), findings)
    if stand.established:
        return None
    told = {look: much for look in opened if (much := now.told(look).information) > MIN_INFORMATION}
    looks = _by_worth({look: much * now.unsaid(look) for look, much in told.items()})
    found = _first(now, stand, looks)
    if found is not None and words_alone and len(now.suspects) > 1:
        found = (
            _first(
                now, stand, _by_worth({look: now.parts(look) * now.unsaid(look) for look in told})
            )
            or found
        )
    return found or _refuting(now, stand, looks)


def _by_worth(told: Mapping[Open, float]) -> list[Open]:
    """What tells most for its time first."""
    worth = {look: round(much / (look.minutes + STEP_OVERHEAD), 9) for look, much in told.items()}
    return sorted(told, key=lambda look: (-worth[look], look.name))


def _first(now: Now, stand: Standing, looks: Sequence[Open]) -> NextLook | None:
    """The first of the best looks that is worth its time and may change the verdict."""
    limit = 0.25 * (1 - stand.chance) * EXPERT_MINUTES
    for look in looks[:SHORTLIST]:
        if look.minutes + STEP_OVERHEAD <= limit and now.matters(look, stand):
            return NextLook(look, now.flips(look))
    return None


def _refuting(now: Now, stand: Standing, looks: Sequence[Open]) -> NextLook | None:
    """The chance is high but the gate is open: one cheap look that could still refute it."""
    if stand.chance < BAR or stand.gate or stand.leader == NONE:
        return None
    place = now.model.causes.index(stand.leader)
    for look in looks:
        if look.minutes <= REFUTING_MINUTES and place in now.told(look).odd:
            return NextLook(look, now.flips(look), refutes=True)
    return None


def leading_by(
    model: Model, findings: Sequence[Seen], tried: frozenset[str]
) -> list[tuple[Seen, str]]:
    """Findings whose removal changes the leader, with that of the others."""
    leader = model.beliefs(findings, tried).leader
    removed = []
    for seen in findings:
        rest = [f for f in findings if f != seen]
        other = model.beliefs(rest, tried).leader
        if other != leader:
            removed.append((seen, other))
    return removed


def change_of_mind(
    model: Model, findings: Sequence[Seen], tried: frozenset[str], opened: Sequence[Open]
) -> NextLook | None:
    """The cheapest open look that could flip the leader."""
    leader = model.beliefs(findings, tried).leader
    now = Now(model, findings, tried)
    for look in sorted(opened, key=lambda o: (o.minutes, o.name)):
        flips = now.flips(look)
        if any(f.leader != leader and f.chance >= LIKELY_OUTCOME for f in flips):
            return NextLook(look, flips)
    return None
