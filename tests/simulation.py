"""Synthetic cases on the real graph: does the engine name the cause, and how often wrongly?

A case has one fault (75%), two (15%) or none that the graph knows (10%). Checks that a probe can
answer are answered at once when their evidence is there (60%); of the rest a person answers
what is asked, with 8% wrong answers and 10% "I don't know". With ``Words``, the person also
describes the case: in a report of its cause that the likeness was worked out without.

    python tests/simulation.py [CASES] [SEED …]    the table of docs/engine.md
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import yaml

from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import Model
from medic.entries import Check, ToldBy
from medic.entries.levels import (
    OTHERWISE,
    PRIOR,
    SHOWN,
    TELLTALE_OTHERWISE,
    TELLTALE_WEIGHT,
    UNLISTED,
    WEIGHT,
)
from medic.entries.words import TELLTALE
from medic.index.knowledge import Index, load
from medic.match.likeness import Likeness, bags, weighed
from medic.planner.looks import Open, next_look
from medic.planner.standing import none_of_these, standing
from medic.runner.registry import all_probes

EVIDENCE_THERE = 0.6
WRONG_ANSWER = 0.08
DONT_KNOW = 0.10
MAX_STEPS = 30
LEFT_OUT = 0.1  # of the reports, which the likeness does not know
CAUSES = Path(__file__).resolve().parents[1] / "knowledge" / "causes"
SHOWN_ORDER = list(SHOWN)
WEIGHT_ORDER = ["confirms", "strong", "weak", "against", "strongly-against", "rules-out"]


@dataclass
class Truth:
    """What is so in one synthetic case."""

    causes: tuple[str, ...]
    symptoms: tuple[str, ...]
    outcomes: dict[str, str]


@dataclass
class Tally:
    cases: int = 0
    known: int = 0
    top1: int = 0
    top3: int = 0
    established: int = 0
    established_wrong: int = 0
    unknown_noticed: int = 0
    minutes: float = 0.0
    wrong: list[tuple[tuple[str, ...], str]] = field(default_factory=list)

    def share(self, count: int, of: int) -> float:
        return count / of if of else 0.0


class Words:
    """What people write: reports that were left out, and the likeness without them."""

    def __init__(self, index: Index, seed: int = 5) -> None:
        rng = random.Random(seed)
        self.reports: dict[str, list[str]] = {}
        causes = {name: copy.copy(entry) for name, entry in index.raw["causes"].items()}
        for name, told in _reports().items():
            left = {text for texts in told.values() for text in texts if rng.random() < LEFT_OUT}
            self.reports[name] = sorted(left)
            kept = {lang: [t for t in texts if t not in left] for lang, texts in told.items()}
            causes[name]["reports"] = kept
        raw = {"causes": causes, "symptoms": index.raw["symptoms"]}
        self.likeness = Likeness(list(raw["causes"]), weighed(bags(raw)))

    def of(self, truth: Truth, rng: random.Random) -> Mapping[str, float]:
        """Log ratios of a description of the first fault; empty where nobody described it."""
        told = [text for cause in truth.causes[:1] for text in self.reports.get(cause, ())]
        return self.likeness.ratios(rng.choice(told)) if told else {}


def _reports() -> dict[str, dict[str, list[str]]]:
    found = {}
    for file in sorted(CAUSES.glob("*/*.yaml")):
        entry = yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)
        found[file.stem] = entry.get("reports", {})
    return found


def with_levels_off(index: Index, share: float, rng: random.Random) -> Index:
    """The same graph, a share of its levels one step off: the world where the authors erred."""
    raw = copy.deepcopy(dict(index.raw))

    def moved(level: str, order: Sequence[str]) -> str:
        if level not in order or rng.random() >= share:
            return level
        at = order.index(level) + rng.choice((-1, 1))
        return order[min(max(at, 0), len(order) - 1)]

    for entry in raw["causes"].values():
        for link in entry.get("shows", ()):
            link["level"] = moved(link["level"], SHOWN_ORDER)
        for link in entry.get("told-by", ()):
            link["weight"] = moved(link["weight"], WEIGHT_ORDER)
    return Index(raw)


class World:
    """What cases are drawn from; what is the same of all of them is worked out once."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.causes = list(index.causes)
        weights = [max(PRIOR[p] for p in cause.prior.values()) for cause in index.causes.values()]
        self._summed = list(accumulate(weights))
        self._usual = {name: _usual(check) for name, check in index.checks.items()}
        self._summed_usual = {n: list(accumulate(u.values())) for n, u in self._usual.items()}

    def draw(self, rng: random.Random) -> Truth:
        """One case from the authored levels."""
        kind = rng.random()
        count = 1 if kind < 0.75 else 2 if kind < 0.9 else 0
        drawn = rng.choices(self.causes, cum_weights=self._summed, k=count) if count else ()
        causes = tuple(dict.fromkeys(drawn))
        symptoms = _symptoms(self.index, causes, rng)
        return Truth(causes, symptoms, self._outcomes(causes, rng))

    def _outcomes(self, causes: tuple[str, ...], rng: random.Random) -> dict[str, str]:
        links: dict[str, list[ToldBy]] = {}
        for cause in causes:
            for link in self.index.links(cause):
                links.setdefault(link.check, []).append(link)
        found = {}
        for name, usual in self._usual.items():
            summed = self._summed_usual[name]
            if name in links:
                weights = dict(usual)
                for link in links[name]:
                    weight = TELLTALE_WEIGHT.get(link.weight) if name == TELLTALE else None
                    weights[link.outcome] *= weight or WEIGHT[link.weight]
                summed = list(accumulate(weights.values()))
            found[name] = rng.choices(list(usual), cum_weights=summed)[0]
        return found


def _usual(check: Check) -> dict[str, float]:
    """How often each outcome is seen when nothing that the check tells of is so."""
    rate = TELLTALE_OTHERWISE if check.name == TELLTALE else OTHERWISE
    base = {o: rate[e.otherwise] for o, e in check.outcomes.items() if e.otherwise}
    rest = max(0.05, 1 - sum(base.values()))
    return {o: base.get(o, rest) for o in check.outcomes}


def _symptoms(index: Index, causes: tuple[str, ...], rng: random.Random) -> tuple[str, ...]:
    shown: dict[str, float] = {}
    for cause in causes:
        for shows in index.causes[cause].shows:
            chance = shown.get(shows.symptom, UNLISTED)
            shown[shows.symptom] = 1 - (1 - chance) * (1 - SHOWN[shows.level])
    found = [name for name in index.symptoms if rng.random() < shown.get(name, UNLISTED)]
    if not found:
        told = [s.symptom for c in causes for s in index.causes[c].shows if s.level != "rarely"]
        found = [rng.choice(told or list(index.symptoms))]
    return tuple(found)


def run(
    index: Index, cases: int, seed: int, words: Words | None = None, levels_off: float = 0.0
) -> Tally:
    """``levels_off``: the share of levels in which the world differs from the graph."""
    rng = random.Random(seed)
    world = World(with_levels_off(index, levels_off, rng) if levels_off else index)
    model = Model(index)
    lines = {n for n, c in index.checks.items() if any(o.signatures for o in c.outcomes.values())}
    told = {t for p in all_probes() for t in p.tells} | lines | {TELLTALE}
    tally = Tally()
    for _ in range(cases):
        truth = world.draw(rng)
        heard = model.of(words.of(truth, rng)) if words else model
        _one(index, heard, told, truth, rng, tally)
    return tally


def _one(
    index: Index, model: Model, told: set[str], truth: Truth, rng: random.Random, tally: Tally
) -> None:
    findings = [Seen(s, "present") for s in truth.symptoms]
    for name, outcome in truth.outcomes.items():
        if name in told and rng.random() < EVIDENCE_THERE:
            findings.append(Seen(name, outcome, "exact"))
    known = {f.name for f in findings}
    opened = [Open(n, c.ask.minutes) for n, c in index.checks.items() if c.ask and n not in known]
    minutes, looks = 0.0, 0
    while looks < MAX_STEPS:
        look = next_look(model, findings, frozenset(), opened)
        if look is None:
            break
        looks += 1
        minutes += look.look.minutes
        opened = [o for o in opened if o.name != look.look.name]
        if rng.random() < DONT_KNOW:
            continue
        outcome = truth.outcomes[look.look.name]
        if rng.random() < WRONG_ANSWER:
            outcome = rng.choice(list(index.checks[look.look.name].outcomes))
        findings.append(Seen(look.look.name, outcome, "person"))
    _count(index, model, findings, truth, tally, looks)
    tally.minutes += minutes


def _count(
    index: Index, model: Model, findings: list[Seen], truth: Truth, tally: Tally, looks: int
) -> None:
    beliefs = model.beliefs(findings)
    stand = standing(model, beliefs, findings)
    right = {index.causes[c].remedies[0] for c in truth.causes}
    tally.cases += 1
    if truth.causes:
        tally.known += 1
        tally.top1 += stand.remedy in right
        tally.top3 += any(index.causes[c].remedies[0] in right for c in beliefs.ranked[:3])
    elif none_of_these(beliefs, looks, nothing_left=lambda: True):
        tally.unknown_noticed += 1
    if stand.established:
        tally.established += 1
        if stand.remedy not in right:
            tally.established_wrong += 1
            tally.wrong.append((truth.causes, stand.leader))


def main(cases: int, seeds: Sequence[int]) -> None:
    index = load()
    words = Words(index)
    for name, heard, off in (
        ("evidence and answers", None, 0.0),
        ("and a description", words, 0.0),
        ("and a fifth of the levels off", words, 0.2),
    ):
        tallies = [run(index, cases, seed, heard, off) for seed in seeds]
        total = Tally(*(sum(getattr(t, f) for t in tallies) for f in _COUNTS))
        sys.stdout.write(
            f"{name}: {total.minutes / total.cases:.1f} min,"
            f" first {total.share(total.top1, total.known):.1%},"
            f" three {total.share(total.top3, total.known):.1%},"
            f" established {total.share(total.established, total.cases):.1%},"
            f" of them wrong {total.share(total.established_wrong, total.established):.1%},"
            f" unknown noticed"
            f" {total.share(total.unknown_noticed, total.cases - total.known):.1%}\n"
        )


_COUNTS = (
    "cases",
    "known",
    "top1",
    "top3",
    "established",
    "established_wrong",
    "unknown_noticed",
    "minutes",
)

if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 400, [int(s) for s in sys.argv[2:]] or [1, 2, 3])
