"""An exception of which nothing is known but that it was raised, and where: it names no cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.session.diagnosis import BY_YOU, READS_LIKE, line_of
from medic.text.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, EvidenceLine

_RAISED = regex(r"^\s*(?:\[[^\]]{1,40}\]:?\s*)?(?:\w{1,40}\.){0,6}\w{0,60}(?:Error|Exception)\b")


def nothing_known(session: Session, causes: Sequence[CauseView]) -> bool:
    """Whether a log shows no more than that something was raised, and no cause is near for more
    than that. Who says more of it in words is asked on."""
    shown = session.observed_symptoms()
    symptoms = session.index.symptoms
    if not shown or not all(symptoms[name].bare for name in shown) or _described(session):
        return False
    leader = next(iter(causes), None)
    if leader is None:
        return True
    near = leader.word in ("likely", "almost-certain", "ruled-out")
    return not near and all(_is_bare(session, line) for line in leader.evidence)


def places(session: Session) -> tuple[EvidenceLine, ...]:
    """What is known of it: where it was raised."""
    index = session.index
    bare = [h for h in session.found if _bare_outcome(session, h.seen.name, h.seen.outcome)]
    told = (h for h in bare if index.checks[h.seen.name].outcomes[h.seen.outcome].seen)
    return tuple(line_of(index, h, "") for h in told)


def _described(session: Session) -> bool:
    told = session.told
    lines = [line for line in told.words.splitlines() if line.strip()]
    return bool(told.chosen) or not all(_RAISED.match(line) for line in lines)


def _is_bare(session: Session, line: EvidenceLine) -> bool:
    if line.kind == "symptom":
        return session.index.symptoms[line.name].bare
    return line.name in (READS_LIKE.name, BY_YOU) or _bare_outcome(session, line.name, line.outcome)


def _bare_outcome(session: Session, name: str, outcome: str) -> bool:
    check = session.index.checks.get(name)
    return check is not None and outcome in check.outcomes and check.outcomes[outcome].bare
