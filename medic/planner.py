"""What to do next, and when to stop."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medic.beliefs import NONE, Beliefs, Model, Seen, remedy_class

BAR = 0.95  # the leading remedy class must reach it before "established"
NONE_BAR = 0.8
NONE_LOOKS = 5
MIN_INFORMATION = 0.002  # nats; below it a question cannot pay
STEP_OVERHEAD = 0.15  # minutes that any question costs on top
EXPERT_MINUTES = 480.0  # what giving up costs: a day of somebody's time
SHORTLIST = 10
LIKELY_OUTCOME = 0.02
PRUNE_ODDS = 1 / 200


@dataclass(frozen=True, slots=True)
class Open:
    """A check or symptom nobody has looked at yet, and what a look costs in minutes."""

    name: str
    minutes: float
    reliability: str = "person"


@dataclass(frozen=True, slots=True)
class Flip:
    """If ``outcome`` is seen, ``leader`` leads."""

    outcome: str
    chance: float
    leader: str


@dataclass(frozen=True, slots=True)
class NextLook:
    look: Open
    flips: tuple[Flip, ...]
    refutes: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the diagnosis stands: who leads, and whether it may be called established."""

    leader: str
    remedy: str
    chance: float  # of the leading remedy class
    gate: bool
    established: bool


def class_chances(model: Model, beliefs: Beliefs) -> dict[str, float]:
    """Chance by remedy class; none-of-these is a class of its own."""
    classes: dict[str, float] = defaultdict(float)
    for cause, chance in beliefs.chance.items():
        classes[remedy_class(model.index, cause)] += chance
    classes[NONE] = beliefs.none
    return classes


def standing(
    model: Model, beliefs: Beliefs, findings: Sequence[Seen], eligible: frozenset[str] | None = None
) -> Standing:
    """The leader and whether the evidence lets it be called established.

    ``eligible`` restricts the leader to these causes (those that show a symptom of the case);
    None lets any cause lead.
    """
    causes = [c for c in beliefs.ranked if eligible is None or c in eligible]
    if not causes:
        return Standing(NONE, NONE, beliefs.none, gate=False, established=False)
    classes: dict[str, float] = defaultdict(float)
    for cause in causes:
        classes[remedy_class(model.index, cause)] += beliefs.chance[cause]
    best = min(classes, key=lambda r: (-classes[r], r))
    leader = next(c for c in causes if remedy_class(model.index, c) == best)
    passes = gate(model, leader, findings)
    shows = shows_a_symptom(model, leader, findings)
    good = classes[best] >= BAR and passes and shows
    return Standing(leader, best, classes[best], gate=passes, established=good)


def gate(model: Model, cause: str, findings: Sequence[Seen]) -> bool:
    """A confirming finding with at most one strong contradiction, or two strong ones of different
    families and none against."""
    confirms, contradictions = 0, 0
    strong: set[str] = set()
    for seen in findings:
        weight = (
            model.links[seen.name][seen.outcome].get(cause) if seen.name in model.links else None
        )
        if weight == "confirms" and seen.reliability != "person":
            confirms += 1
        elif weight == "strong":
            strong.add(model.index.checks[seen.name].family)
        elif weight in ("strongly-against", "rules-out"):
            contradictions += 1
    if confirms:
        return contradictions <= 1
    return len(strong) >= 2 and contradictions == 0


def shows_a_symptom(model: Model, cause: str, findings: Iterable[Seen]) -> bool:
    """Being true is not being the cause: it must show (>= sometimes) a symptom of this case."""
    present = {f.name for f in findings if f.outcome == "present"}
    return any(
        s.symptom in present and s.level != "rarely" for s in model.index.causes[cause].shows
    )


def next_look(
    model: Model, findings: Sequence[Seen], tried: frozenset[str], opened: Sequence[Open]
) -> NextLook | None:
    """The open look that is most worth its time, or None if none can change the verdict."""
    beliefs = model.beliefs(findings, tried)
    now = standing(model, beliefs, findings)
    if now.established:
        return None
    scores = model.scores(findings, tried)
    chances = _softmax(scores)
    ranked = []
    for look in opened:
        rows = model.likelihood(look.name, look.reliability)
        information = _information(rows, chances)
        if information > MIN_INFORMATION:
            ranked.append(
                (-round(information / (look.minutes + STEP_OVERHEAD), 9), look.name, look)
            )
    ranked.sort(key=lambda x: (x[0], x[1]))
    limit = 0.25 * (1 - now.chance) * EXPERT_MINUTES
    for _, _, look in ranked[:SHORTLIST]:
        flips = _flips(model, look, scores, chances)
        if look.minutes + STEP_OVERHEAD <= limit and _matters(model, now, flips, scores, look):
            return NextLook(look, flips)
    return _refuting(model, now, [r[2] for r in ranked], scores, chances)


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    weights = [math.exp(s - top) for s in scores]
    total = sum(weights)
    return [w / total for w in weights]


def _information(rows: dict[str, list[float]], chances: Sequence[float]) -> float:
    """Mutual information of the look's outcome and the cause, in nats."""
    total = 0.0
    for row in rows.values():
        likely = [math.exp(v) for v in row]
        mean = sum(p * q for p, q in zip(chances, likely, strict=True))
        if mean <= 0:
            continue
        log_mean = math.log(mean)
        for p, q, log_q in zip(chances, likely, row, strict=True):
            if p > 1e-9:
                total += p * q * (log_q - log_mean)
    return total


def _flips(
    model: Model, look: Open, scores: Sequence[float], chances: Sequence[float]
) -> tuple[Flip, ...]:
    flips = []
    for outcome, row in model.likelihood(look.name, look.reliability).items():
        mean = sum(p * math.exp(v) for p, v in zip(chances, row, strict=True))
        after = [s + v for s, v in zip(scores, row, strict=True)]
        best = max(range(len(after)), key=lambda i: (after[i], -i))
        leader = NONE if best == len(model.causes) else model.causes[best]
        flips.append(Flip(outcome, mean, leader))
    return tuple(flips)


def _matters(
    model: Model, now: Standing, flips: Sequence[Flip], scores: Sequence[float], look: Open
) -> bool:
    """An outcome that may come changes the leading remedy, lifts it over the bar, or puts
    none-of-these ahead."""
    rows = model.likelihood(look.name, look.reliability)
    for flip in flips:
        if flip.chance < LIKELY_OUTCOME:
            continue
        after = _softmax([s + v for s, v in zip(scores, rows[flip.outcome], strict=True)])
        classes: dict[str, float] = defaultdict(float)
        for cause, chance in zip(model.causes, after, strict=False):
            classes[remedy_class(model.index, cause)] += chance
        best = min(classes, key=lambda r: (-classes[r], r))
        lifted = now.chance < BAR <= classes[now.remedy] if now.remedy in classes else False
        if best != now.remedy or lifted or after[-1] > classes[best]:
            return True
    return False


def _refuting(
    model: Model,
    now: Standing,
    looks: Sequence[Open],
    scores: Sequence[float],
    chances: Sequence[float],
) -> NextLook | None:
    """The chance is high but the gate is open: one cheap look that could still refute it."""
    if now.chance < BAR or now.gate or now.leader == NONE:
        return None
    for look in looks:
        outcomes = model.links[look.name]
        if look.minutes <= 2.0 and any(now.leader in causes for causes in outcomes.values()):
            return NextLook(look, _flips(model, look, scores, chances), refutes=True)
    return None


def none_of_these(beliefs: Beliefs, looks: int, *, nothing_left: bool) -> bool:
    """The unknown cause is all but certain after a few looks, or leads when nothing is left."""
    if beliefs.none >= NONE_BAR and looks >= NONE_LOOKS:
        return True
    return nothing_left and beliefs.none > max(beliefs.chance.values(), default=0.0)


def pruned(model: Model, beliefs: Beliefs, findings: Sequence[Seen]) -> dict[str, Seen]:
    """Causes to dim, each with the finding that rules it out. A display state, never a loss."""
    top = max(beliefs.chance.values(), default=0.0)
    dimmed: dict[str, Seen] = {}
    for cause, chance in beliefs.chance.items():
        if top <= 0 or chance / top > PRUNE_ODDS:
            continue
        by = _ruled_out_by(model, cause, findings)
        if by is not None:
            dimmed[cause] = by
    return dimmed


def _ruled_out_by(model: Model, cause: str, findings: Sequence[Seen]) -> Seen | None:
    against = []
    for seen in findings:
        weight = (
            model.links[seen.name][seen.outcome].get(cause) if seen.name in model.links else None
        )
        if weight == "rules-out":
            return seen
        if weight == "strongly-against":
            against.append(seen)
    return against[0] if len(against) >= 2 else None


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
    scores = model.scores(findings, tried)
    chances = _softmax(scores)
    for look in sorted(opened, key=lambda o: (o.minutes, o.name)):
        flips = _flips(model, look, scores, chances)
        if any(f.leader != leader and f.chance >= LIKELY_OUTCOME for f in flips):
            return removed, NextLook(look, flips)
    return removed, None
