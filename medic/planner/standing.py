"""Where a diagnosis stands: who leads, whether that is established, what is ruled out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from medic.beliefs.likelihoods import DOUBTED, Seen
from medic.beliefs.model import NONE, TOLD, Beliefs, Model
from medic.records import dataclass

BAR = 0.95  # the leading remedy class must reach it before "established"
NONE_BAR = 0.8
NONE_LOOKS = 5
PRUNE_ODDS = 1 / 200


@dataclass(frozen=True)
class Standing:
    """Where the diagnosis stands: who leads, and whether it may be called established."""

    leader: str
    remedy: str
    chance: float  # of the leading remedy class
    gate: bool
    established: bool


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
        classes[model.remedy[cause]] += beliefs.chance[cause]
    leader = causes[0]
    best = model.remedy[leader]
    passes = gate(model, leader, findings)
    shows = shows_a_symptom(model, leader, findings)
    good = classes[best] >= BAR and passes and shows
    return Standing(leader, best, classes[best], gate=passes, established=good)


def nearest(model: Model, beliefs: Beliefs, findings: Sequence[Seen]) -> Standing | None:
    """Whose description a complaint is most like, where no symptom was understood."""
    like = frozenset(c for c, r in model.likeness.items() if r > 0 and c in beliefs.chance)
    return standing(model, beliefs, findings, like) if like else None


def gate(model: Model, cause: str, findings: Sequence[Seen]) -> bool:
    """A confirming finding with at most one strong contradiction, or two strong ones of different
    families and none against; none that rules it out. What one line says is one strong finding,
    however many checks read it."""
    confirms, contradictions, against = 0, 0, 0
    strong: set[tuple[str, str]] = set()
    for seen in findings:
        weight = (
            model.links[seen.name][seen.outcome].get(cause) if seen.name in model.links else None
        )
        if weight == "confirms" and seen.reliability == DOUBTED:
            weight = "strong"
        if weight in ("confirms", "strong") and not _is_its_own(model, cause, seen):
            continue
        if weight == "confirms" and seen.reliability not in TOLD:
            confirms += 1
        elif weight == "strong":
            strong.add((model.index.ties.checks[seen.name].family, seen.at))
        elif weight == "rules-out":
            return False
        elif weight == "strongly-against":
            contradictions += 1
        elif weight == "against":
            against += 1
    if confirms:
        return contradictions <= 1
    return _independent(strong) and contradictions == 0 and against == 0


def _is_its_own(model: Model, cause: str, seen: Seen) -> bool:
    """Whether a finding is of the run, or of a failure that the cause shows."""
    return not seen.of or any(symptom == seen.of for symptom, _ in model.ties[cause].shows)


def _independent(strong: set[tuple[str, str]]) -> bool:
    """Whether two of these (family, line) are of different families and not of one line."""
    return any(
        one != other and (not at or at != also_at)
        for one, at in strong
        for other, also_at in strong
    )


def shows_a_symptom(model: Model, cause: str, findings: Iterable[Seen]) -> bool:
    """Being true is not being the cause: it must show (>= sometimes) a symptom of this case."""
    present = {n for f in findings if f.outcome == "present" for n in (f.name, *f.also)}
    return any(s in present and level != "rarely" for s, level in model.ties[cause].shows)


def none_of_these(beliefs: Beliefs, looks: int, *, nothing_left: Callable[[], bool]) -> bool:
    """The unknown cause is all but certain after a few looks, or leads when nothing is left."""
    if beliefs.none >= NONE_BAR and looks >= NONE_LOOKS:
        return True
    return beliefs.none > max(beliefs.chance.values(), default=0.0) and nothing_left()


def pruned(model: Model, beliefs: Beliefs, findings: Sequence[Seen]) -> dict[str, Seen]:
    """Causes to dim, each with the finding that rules it out. A display state, never a loss."""
    top = max(beliefs.chance.values(), default=0.0)
    by = _ruled_out(model, findings)
    return {
        cause: by[cause]
        for cause, chance in beliefs.chance.items()
        if cause in by and top > 0 and chance / top <= PRUNE_ODDS
    }


def _ruled_out(model: Model, findings: Sequence[Seen]) -> dict[str, Seen]:
    """Causes that a finding rules out, or two speak strongly against, with the first of them."""
    out: dict[str, Seen] = {}
    against: dict[str, list[Seen]] = defaultdict(list)
    for seen in findings:
        for cause, weight in model.links.get(seen.name, {}).get(seen.outcome, {}).items():
            if weight == "rules-out":
                out.setdefault(cause, seen)
            elif weight == "strongly-against":
                against[cause].append(seen)
    return {c: two[0] for c, two in against.items() if len(two) > 1} | out
