"""Lines that say that something failed and not why, which name no cause: an exception of which
nothing is known but that it was raised, and where; what only follows from an earlier error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.facts import LogHits
from medic.session.diagnosis import BY_YOU, READS_LIKE, line_of
from medic.text.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, EvidenceLine

STOPPED = "stopped-without-a-word"
VICTIM = "victim"  # the role of a line that follows from another failure
_RAISED = regex(r"^\s*(?:\[[^\]]{1,40}\]:?\s*)?(?:\w{1,40}\.){0,6}\w{0,60}(?:Error|Exception)\b")


def nothing_known(session: Session, causes: Sequence[CauseView]) -> bool:
    """Whether a log shows no more than that something was raised, or what follows from another
    failure, and no cause is near for more than that. Who says more of it in words is asked on."""
    shown = session.observed_symptoms()
    bare = _bare_symptoms(session)
    if not shown or not shown <= bare or _described(session):
        return False
    leader = next(iter(causes), None)
    if leader is None:
        return True
    near = leader.word in ("likely", "almost-certain", "ruled-out")
    return not near and all(_is_bare(session, line, bare) for line in leader.evidence)


def follows_only(session: Session) -> bool:
    """Whether all that a log shows is what follows from a failure which it does not show."""
    shown = session.observed_symptoms()
    return bool(shown) and shown <= _victims(session)


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


def _bare_symptoms(session: Session) -> set[str]:
    raised = {name for name in session.observed_symptoms() if session.index.symptoms[name].bare}
    return raised | _victims(session)


def _victims(session: Session) -> set[str]:
    """Symptoms that the log shows by lines alone that follow from another failure; where a launcher
    tells of an exit, that no line before it says why."""
    logs = session.evidence.fact(LogHits)
    exits = {STOPPED} if logs is not None and logs.ended == "badly" else set()
    return {h.seen.name for h in session.found if h.role == VICTIM or h.seen.name in exits}


def _is_bare(session: Session, line: EvidenceLine, bare: set[str]) -> bool:
    if line.kind == "symptom":
        return line.name in bare
    return line.name in (READS_LIKE.name, BY_YOU) or _bare_outcome(session, line.name, line.outcome)


def _bare_outcome(session: Session, name: str, outcome: str) -> bool:
    check = session.index.checks.get(name)
    return check is not None and outcome in check.outcomes and check.outcomes[outcome].bare
