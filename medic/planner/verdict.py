"""Whether the run is healthy, what leads, and how sure medic may be."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from medic.beliefs.likelihoods import DOUBTED, Seen
from medic.beliefs.model import Beliefs, Model
from medic.entries.levels import LIKE_SHARE
from medic.entries.words import TELLTALE
from medic.facts import Curve, LogHits
from medic.index.knowledge import Index
from medic.planner.begun import disproved
from medic.planner.objective import is_read
from medic.planner.standing import Standing, gate, none_of_these, standing
from medic.probe import Finding
from medic.records import dataclass
from medic.run_config import RunConfig
from medic.runner.evidence import Evidence

# A doubted line is as much there as any other.
RELIABILITY = {"exact": 0, DOUBTED: 0, "heuristic": 1, "person": 2, "prose": 3}
# Evidence families in which any abnormal outcome forbids to call a run healthy.
CURVE_FAMILIES = frozenset(
    {
        "lr-curve",
        "loss-curve",
        "nan-time",
        "nan-curve",
        "nan-gradient",
        "memory-series",
        "loss-scale",
        "throughput",
        "checkpoint-values",
        "unlike-a-sound-run",
    }
)
# Checks that may have several outcomes at once: words of causes, and what differs from a good run.
SEVERAL = frozenset({TELLTALE, "changed-since-good", "turned-since-good"})
Verdict = Literal[
    "established",
    "likely",
    "unclear",
    "none-of-these",
    "healthy",
    "no-fault-seen",
    "not-read-whole",
]
CLEAN = frozenset({"healthy", "no-fault-seen"})
# Verdicts that name no cause and ask nothing: the third says that what was left unread may hold one.
NOTHING_NAMED = CLEAN | {"not-read-whole"}
# Verdicts of a failure whose nearest causes are told, and none of them as the answer.
NO_ANSWER = frozenset({"unclear", "none-of-these"})


@dataclass(frozen=True)
class Heard:
    """A finding of any observer, ready for beliefs and for the screen."""

    seen: Seen
    finding: Finding
    role: str = ""
    this_host: bool = False


def heard(
    evidence: Evidence,
    answers: Sequence[tuple[str, str]],
    index: Index,
    *,
    host_counts: bool,
    told: Sequence[Heard] = (),
) -> list[Heard]:
    """Findings of probes and persons; this machine's state counts only if it is the run's."""
    result = []
    said = {h.seen.name for h in told if h.seen.outcome == "present"}
    left = disproved(evidence, index, said)
    for o in evidence.observed:
        if (o.this_host and not host_counts) or any(o is one for one in left):
            continue
        source = o.finding.source
        at = source.where() if source.line else ""
        error = str(o.finding.value.get("error", "")) if o.name in index.checks else ""
        of = error if error in index.symptoms else ""
        seen = Seen(o.name, o.outcome, o.reliability, o.also, at, of)
        result.append(Heard(seen, o.finding, o.role, o.this_host))
    for name, outcome in answers:
        result.append(Heard(Seen(name, outcome, "person"), Finding(name, outcome)))
    return _one_per_check([*result, *told], index)


def _one_per_check(found: list[Heard], index: Index) -> list[Heard]:
    """One outcome a check: an abnormal one before a normal, then the most reliable observer's.

    What several things at once may answer stays several.
    """

    def rank(item: Heard) -> tuple[bool, int]:
        seen = item.seen
        return index.is_normal(seen.name, seen.outcome), RELIABILITY[seen.reliability]

    best: dict[str, list[Heard]] = {}
    for item in found:
        known = best.get(item.seen.name)
        if known is None or rank(item) < rank(known[0]):
            best[item.seen.name] = [item]
        elif item.seen.name in SEVERAL and (rank(item) == rank(known[0]) or _tells(item, known)):
            known.append(item)
    return [item for name in sorted(best) for item in best[name]]


def _tells(item: Heard, known: Sequence[Heard]) -> bool:
    """Whether a person's words tell of a cause beside those whose lines a log holds."""
    spoken = item.seen.name == TELLTALE and item.seen.reliability in ("person", "prose")
    return spoken and item.seen.outcome not in {one.seen.outcome for one in known}


def severity(index: Index, name: str) -> str:
    cause = index.causes.get(name)
    return cause.lint.severity if cause and cause.lint else ""


def leading_symptoms(index: Index, found: Sequence[Heard]) -> list[Heard]:
    """Symptoms that are present and not benign."""
    return [
        h
        for h in found
        if h.seen.outcome == "present"
        and h.seen.name in index.symptoms
        and not index.symptoms[h.seen.name].benign
    ]


def fired(index: Index, found: Sequence[Heard], *severities: str) -> list[Heard]:
    return [
        h for h in found if h.seen.outcome == "fires" and severity(index, h.seen.name) in severities
    ]


def ended_well(evidence: Evidence, now: float | None = None) -> bool | None:
    """True if the attempt ended well or is alive, None if that cannot be told."""
    logs = evidence.fact(LogHits)
    if isinstance(logs, LogHits):
        if logs.ended == "well":
            return True
        if logs.ended == "badly":
            return False
        if alive(logs, now):
            return True
        return False if logs.ended == "silent" else None
    curve, config = evidence.fact(Curve), evidence.fact(RunConfig)
    if isinstance(curve, Curve) and isinstance(config, RunConfig):
        planned = config.integer("total_steps")
        last = max((s.steps[-1] for s in curve.series.values() if s.steps), default=None)
        if planned is not None and last is not None:
            return last >= planned - 1 or None
    return None


def alive(logs: LogHits, now: float | None = None) -> bool:
    """The last line is younger than max(60 s, 10 x the median gap between logged steps)."""
    if logs.last_time is None:
        return False
    times = [s.source.time for s in logs.steps if s.source.time is not None]
    gaps = sorted(b - a for a, b in pairwise(times) if b > a)
    median = gaps[len(gaps) // 2] if gaps else 0.0
    age = (time.time() if now is None else now) - logs.last_time
    return -60.0 <= age < max(60.0, 10 * median)


def decide(
    index: Index,
    model: Model,
    found: Sequence[Heard],
    tried: frozenset[str],
    evidence: Evidence,
    *,
    looks: int,
    nothing_left: Callable[[], bool],
    described: bool = False,
) -> tuple[Verdict, Standing | None, Beliefs]:
    """The verdict, who leads, and the chances. ``described``: words that tell of some cause;
    ``nothing_left``: whether no question is, asked only where the verdict hangs on it."""
    seen = [h.seen for h in found]
    beliefs = model.beliefs(seen, tried)
    if described or leading_symptoms(index, found):
        stand = standing(model, beliefs, seen)
        if stand.established and _holds(model, seen, tried, stand):
            return "established", stand, beliefs
        unknown_leads = beliefs.none > stand.chance
        if unknown_leads or none_of_these(beliefs, looks, nothing_left=nothing_left):
            return "none-of-these", stand, beliefs
        return "likely", stand, beliefs
    wrong = {h.seen.name for h in fired(index, found, "error", "warning")}
    well = ended_well(evidence)
    # Words of a run that ended well tell how it was set up: no failure, and no complaint, is known.
    spoken = [h for h in found if not (h.seen.name == TELLTALE and (well or advises(h, index)))]
    named = wrong | {c for c in spoken_for(index, model, spoken) if gate(model, c, seen)}
    eligible = frozenset(named & set(model.causes))
    if eligible:
        return "likely", standing(model, beliefs, seen, eligible), beliefs
    whole = is_read(evidence.fact(Curve)) and evidence.fact(RunConfig) is not None
    if well and whole and not _curve_is_odd(index, found):
        return "healthy", None, beliefs
    return "no-fault-seen", None, beliefs


def advises(item: Heard, index: Index) -> bool:
    """Whether a finding is a line that healthy programs print, too: worth a note, and no fault."""
    from medic.match import harmless

    text = item.finding.source.text
    return item.seen.outcome != "absent" and bool(text) and harmless(text, index)


def _holds(model: Model, seen: Sequence[Seen], tried: frozenset[str], stand: Standing) -> bool:
    """Whether the same remedy is established by what was seen, with little help of likeness."""
    alone = model.of({cause: ratio * LIKE_SHARE for cause, ratio in model.likeness.items()})
    again = standing(alone, alone.beliefs(seen, tried), seen)
    return again.established and again.remedy == stand.remedy


def _curve_is_odd(index: Index, found: Sequence[Heard]) -> bool:
    """An abnormal outcome of a curve or series check: no fault, and no health either."""
    return any(
        index.checks[h.seen.name].family in CURVE_FAMILIES
        and not index.is_normal(h.seen.name, h.seen.outcome)
        for h in found
        if h.seen.name in index.checks
    )


def spoken_for(index: Index, model: Model, found: Sequence[Heard]) -> set[str]:
    """Causes that an abnormal check outcome speaks for."""
    causes: set[str] = set()
    for item in found:
        check = index.checks.get(item.seen.name)
        if check is None or check.outcomes[item.seen.outcome].normal:
            continue
        if severity(index, item.seen.name) == "info":
            continue  # advice on a setting is a note, no suspicion
        links = model.links.get(item.seen.name, {}).get(item.seen.outcome, {})
        causes |= {c for c, weight in links.items() if weight in ("confirms", "strong")}
    return causes
