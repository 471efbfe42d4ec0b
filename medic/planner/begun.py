"""What a run that trained disproves: findings in its files of which no run gets past its start."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from medic.facts import Curve, LogHits
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.runner.evidence import Evidence, Observed

STEPS = 2  # different ones, logged by the last attempt: it is past its start
NO_EFFECT = "option-without-effect"
_RAMP = regex(r"(?i)ramp_?-?up[-_]batch[-_]size")


def disproved(evidence: Evidence, index: Index, told: Collection[str] = ()) -> list[Observed]:
    """Checks of the files that fire for a cause which always ends a run at its launch, where the last
    attempt went on to train: the file lies elsewhere, or was changed since. None of a cause whose
    symptom was seen, or is ``told`` of: another launch may have failed by it."""
    fires = [o for o in evidence.observed if o.outcome == "fires"]
    if not fires or not has_begun(evidence):
        return []
    present = {o.name for o in evidence.observed if o.outcome == "present"}
    present |= {o.name for o in evidence.consequences} | set(told)
    return [
        o
        for o in fires
        if takes_effect(evidence, o)
        or ((ends := _ends_by(index, o.name)) and ends.isdisjoint(present))
    ]


def takes_effect(evidence: Evidence, found: Observed) -> bool:
    """Whether rows show the effect of an option that is held to have none."""
    curve = evidence.fact(Curve)
    if found.name != NO_EFFECT or not isinstance(curve, Curve):
        return False
    return _RAMP.search(found.finding.source.text) is not None and _grows(curve)


def _grows(curve: Curve) -> bool:
    batches = curve.series.get("batch_size")
    values = [v for v in batches.values if v > 0] if batches is not None else []
    return bool(values) and values[0] < values[-1] == max(values)


def has_begun(evidence: Evidence) -> bool:
    """Whether the last attempt logged more than one step."""
    logs = evidence.fact(LogHits)
    return isinstance(logs, LogHits) and len({s.step for s in logs.steps}) >= STEPS


def _ends_by(index: Index, name: str) -> frozenset[str]:
    """The symptoms by which a cause always ends a run at its launch."""
    cause = index.causes.get(name)
    if cause is None or set(cause.phases) != {"launch"}:
        return frozenset()
    always = (s.symptom for s in cause.shows if s.level == "always")
    return frozenset(n for n in always if not index.symptoms[n].goes_on)
