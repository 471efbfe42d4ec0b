"""What an open look is worth: its information, what would lead after each outcome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import itemgetter, mul

from medic.beliefs.columns import Columns, entropy
from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import NONE, Model
from medic.entries import Check
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.planner.standing import BAR, Standing, standing
from medic.records import dataclass

MIN_INFORMATION = 0.002  # nats; below it a question cannot pay
STEP_OVERHEAD = 0.15  # minutes that any question costs on top
EXPERT_MINUTES = 480.0  # what giving up costs: a day of somebody's time
SHORTLIST = 10
LIKELY_OUTCOME = 0.02
# Below this share of the leader's chance no answer lifts a cause to where it could matter.
LIVE = 1e-4
REFUTING_MINUTES = 2.0
METHOD = "training-method"  # the check whose outcome names it
OF_RL = ("rl-", "rollout-", "engine-", "ray-")  # beginnings of families
# Short forms in outcome names, as symptoms spell them out.
SHORT_NAMES = {"oom": "out-of-memory"}


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
        linked = [chances[i] for i in columns.places]
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

    def __init__(self, model: Model, findings: Sequence[Seen], tried: frozenset[str]) -> None:
        self.model = model
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

    def matters(self, look: Open, stand: Standing) -> bool:
        """An outcome that may come changes the leading remedy, lifts it over the bar, or puts
        none-of-these ahead."""
        told = self.told(look)
        none = len(self.model.causes)
        for o, chance in enumerate(told.chances):
            if chance < LIKELY_OUTCOME:
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
    model: Model, findings: Sequence[Seen], tried: frozenset[str], opened: Sequence[Open]
) -> NextLook | None:
    """The open look that is most worth its time, or None if none can change the verdict."""
    now = Now(model, findings, tried)
    stand = standing(model, model.named(now.chances), findings)
    if stand.established:
        return None
    ranked = []
    for look in opened:
        information = now.told(look).information
        if information > MIN_INFORMATION:
            worth = round(information / (look.minutes + STEP_OVERHEAD), 9)
            ranked.append((-worth, look.name, look))
    looks = [look for _, _, look in sorted(ranked, key=itemgetter(0, 1))]
    limit = 0.25 * (1 - stand.chance) * EXPERT_MINUTES
    for look in looks[:SHORTLIST]:
        if look.minutes + STEP_OVERHEAD <= limit and now.matters(look, stand):
            return NextLook(look, now.flips(look))
    return _refuting(now, stand, looks)


def _refuting(now: Now, stand: Standing, looks: Sequence[Open]) -> NextLook | None:
    """The chance is high but the gate is open: one cheap look that could still refute it."""
    if stand.chance < BAR or stand.gate or stand.leader == NONE:
        return None
    place = now.model.causes.index(stand.leader)
    for look in looks:
        if look.minutes <= REFUTING_MINUTES and place in now.told(look).odd:
            return NextLook(look, now.flips(look), refutes=True)
    return None


def change_of_mind(
    model: Model, findings: Sequence[Seen], tried: frozenset[str], opened: Sequence[Open]
) -> tuple[list[tuple[Seen, str]], NextLook | None]:
    """Findings whose removal changes the leader, and the cheapest open look that could flip it."""
    leader = model.beliefs(findings, tried).leader
    removed = []
    for seen in findings:
        rest = [f for f in findings if f != seen]
        other = model.beliefs(rest, tried).leader
        if other != leader:
            removed.append((seen, other))
    now = Now(model, findings, tried)
    for look in sorted(opened, key=lambda o: (o.minutes, o.name)):
        flips = now.flips(look)
        if any(f.leader != leader and f.chance >= LIKELY_OUTCOME for f in flips):
            return removed, NextLook(look, flips)
    return removed, None


@dataclass(frozen=True)
class Question:
    """What only a person can answer, with the outcomes as choices."""

    name: str
    say: Text
    how: Text
    minutes: float
    choices: tuple[tuple[str, Text], ...]
    look: NextLook


def of_rl(index: Index, name: str) -> bool:
    """Whether a check or symptom is about reinforcement learning: rollouts, rewards, engines."""
    check = index.ties.checks.get(name)
    if check is not None:
        return check.family.startswith(OF_RL)
    return name.startswith("rl-") or (
        name in index.raw["symptoms"] and index.raw["symptoms"][name]["family"].startswith(OF_RL)
    )


def speaks_of_rl(index: Index, seen: Iterable[Seen]) -> bool:
    """Whether any finding is of reinforcement learning."""
    return any(
        (s.name, s.outcome) == (METHOD, "reinforcement")
        or (of_rl(index, s.name) and not index.is_normal(s.name, s.outcome))
        for s in seen
    )


NONE_OF_THEM = Text("none of these", "都不是")


def choices(check: Check | None, present: set[str]) -> tuple[tuple[str, Text], ...]:
    """The outcomes that a person may answer, less those that the symptoms seen deny, and less "not
    known", which everyone may answer to every question. What else that outcome stands for is "none
    of these"."""
    if check is None:
        return (("present", Text("yes", "是")), ("absent", Text("no", "否")))
    asked = {
        name: outcome
        for name, outcome in check.outcomes.items()
        if not (outcome.normal and denies(name, present))
    }
    known = [(name, outcome.title) for name, outcome in asked.items() if not outcome.unknown]
    if not any(asked[name].normal for name, _ in known):
        rest = (name for name, outcome in asked.items() if outcome.unknown and outcome.normal)
        known += [(name, NONE_OF_THEM) for name in rest]
    return tuple(known)


def denies(outcome: str, present: set[str]) -> bool:
    """Whether ``not-nan`` and the like deny one of these symptoms."""
    start, _, what = outcome.partition("-")
    if start not in ("not", "no") or not what:
        return False
    what = SHORT_NAMES.get(what, what)
    return any(f"-{what}-" in f"-{name}-" for name in present)
