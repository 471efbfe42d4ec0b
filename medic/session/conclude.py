"""The whole answer over a session: verdict, causes, what else is wrong, what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.planner.standing import nearest, pruned
from medic.planner.verdict import decide, fired, leading_symptoms
from medic.session.diagnosis import (
    CauseView,
    Diagnosis,
    also_wrong,
    failures,
    gaps,
    line_of,
    observed_line,
    ranked_causes,
    unexplained,
    unproven,
    view,
)

if TYPE_CHECKING:
    from medic.beliefs.model import Beliefs
    from medic.planner.standing import Standing
    from medic.session.consultation import Session


def conclude(session: Session) -> Diagnosis:
    """Where the case stands now."""
    index, found = session.index, session.found
    tried = frozenset(session.tried)
    question = session.next_question()
    verdict, stand, beliefs = decide(
        index,
        session.model,
        found,
        tried,
        session.evidence,
        looks=len(session.answers) + len(session.unknown),
        nothing_left=question is None,
        described=session.told.sounds_like(session.model.likeness),
    )
    if session.refused or (verdict in ("no-fault-seen", "healthy") and session.told.trouble):
        # A complaint that nothing matches is no sign of health.
        verdict = "none-of-these"
    if stand is None and verdict == "none-of-these":
        stand = nearest(session.model, beliefs, session.seen)
    causes = _named(session, stand, beliefs, established=verdict == "established")
    if verdict == "none-of-these" and question is not None and causes and not session.refused:
        verdict = "likely"  # while a question could tell the causes apart, none is given up
    leader = causes[0] if causes else None
    also = also_wrong(index, session.model, beliefs, found, [c.name for c in causes])
    dimmed = pruned(session.model, beliefs, session.seen)
    over = [h for h in found if index.is_noted(h.seen.name, h.seen.outcome)]
    infos = [*fired(index, found, "info"), *over]
    return Diagnosis(
        verdict=verdict,
        causes=causes,
        also_wrong=also,
        symptoms=tuple(line_of(index, h, "") for h in leading_symptoms(index, found)),
        unexplained=unexplained(index, found, set(leader.explains) if leader else set()),
        consequences=tuple(observed_line(index, o) for o in session.evidence.consequences),
        notes=tuple(line_of(index, h, "info") for h in infos),
        ruled_out=tuple(view(index, c, beliefs, found, by) for c, by in sorted(dimmed.items())),
        none_chance=beliefs.none,
        next=question.look if question else None,
        context=dict(session.model.context.facts),
        not_checked=gaps(session.evidence, session.unknown),
        failed=failures(session.evidence),
        read=session.evidence.read,
        not_read=tuple(session.evidence.not_read),
        case_run=session.case.run,
        other_runs=tuple(r for r in session.case.runs if r != session.case.run),
    )


def _named(
    session: Session, stand: Standing | None, beliefs: Beliefs, *, established: bool
) -> tuple[CauseView, ...]:
    """The causes in question, best first; none where nothing stands."""
    if stand is None:
        return ()
    causes = ranked_causes(session.index, session.model, stand, beliefs, session.found)
    return causes if established else tuple(map(unproven, causes))
