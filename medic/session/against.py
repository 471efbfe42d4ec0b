"""Whether what a person says goes against what the files show: then the files hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.planner.standing import Standing, standing
from medic.planner.verdict import SEVERAL, Heard, heard, leading_symptoms
from medic.session.diagnosis import EvidenceLine, evidence_for, line_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from medic.session.consultation import Session

AGAINST = ("rules-out", "strongly-against")


def of_files(session: Session) -> list[Heard]:
    """What the files show, without a word of anybody."""
    here = session.evidence.host_is_the_runs is True
    return heard(session.evidence, [], session.index, host_counts=here)


def leader(session: Session) -> Standing:
    """Who leads by all that is known now."""
    model = session.model
    tried = frozenset(session.tried)
    return standing(model, model.beliefs(session.seen, tried), session.seen)


def shown_otherwise(
    session: Session, before: Standing, known: Collection[str]
) -> EvidenceLine | None:
    """What the files show against the last words, which ``before`` did not have yet, nor ``known``,
    the checks that words had answered; None where they leave the words room.

    Words are held against the files where they answer a check otherwise, where they would take
    the lead from what the files alone establish, and where the cause that they would have lead
    is one that a finding speaks strongly against.
    """
    files = of_files(session)
    if not leading_symptoms(session.index, files):
        return None
    return _answered_otherwise(session, files, known) or _dethroned(session, files, before)


def _answered_otherwise(
    session: Session, files: list[Heard], known: Collection[str]
) -> EvidenceLine | None:
    """A finding on a check that the words answer, with another outcome."""
    checks = session.index.checks
    for name, said in session.told.answered.items():
        if name in SEVERAL or name in known:
            continue
        for item in files:
            exact = item.seen.name == name and item.seen.reliability == "exact"
            if not exact or checks[name].outcomes[item.seen.outcome].unknown:
                continue
            if item.seen.outcome != said.outcome and item.finding.source.file:
                return line_of(session.index, item, "rules-out")
    return None


def _dethroned(session: Session, files: list[Heard], before: Standing) -> EvidenceLine | None:
    """The finding that speaks for the cause of the files, or against the cause of the words."""
    now = leader(session)
    seen = [item.seen for item in files]
    alone = session.model.of({})
    tried = frozenset(session.tried)
    first = standing(alone, alone.beliefs(seen, tried), seen)
    if first.established and not (now.established and now.remedy == first.remedy):
        lost = before.remedy == first.remedy and before.established
        return _strongest(session, files, first.leader) if lost else None
    if now.leader == before.leader or now.leader not in session.index.causes:
        return None
    against = evidence_for(session.index, session.index.causes[now.leader], files)
    return next((line for line in reversed(against) if line.weight in AGAINST), None)


def _strongest(session: Session, files: list[Heard], cause: str) -> EvidenceLine | None:
    """The finding that tells most for a cause, of those with a line."""
    lines = evidence_for(session.index, session.index.causes[cause], files)
    placed = [line for line in lines if line.source.file]
    return next(iter(placed or lines), None)
