"""The whole answer over a session: verdict, causes, what else is wrong, what is left."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from medic.entries.words import TELLTALE
from medic.planner.standing import nearest, pruned
from medic.planner.verdict import CLEAN, advises, decide, fired, leading_symptoms
from medic.records import replace
from medic.session.bare import follows_only, nothing_known
from medic.session.bare import places as raised_at
from medic.session.diagnosis import (
    CauseView,
    Diagnosis,
    also_wrong,
    by_you,
    failures,
    gaps,
    line_of,
    observed_line,
    ranked_causes,
    unexplained,
    unproven,
    view,
)
from medic.session.ended_by import last_exception

if TYPE_CHECKING:
    from collections.abc import Mapping

    from medic.beliefs.likelihoods import Seen
    from medic.beliefs.model import Beliefs
    from medic.planner.standing import Standing
    from medic.session.consultation import Session


def conclude(session: Session, *, asks: bool = True) -> Diagnosis:
    """Where the case stands now; ``asks``: with the next question, which costs as much again."""
    index, found = session.index, session.found
    tried = frozenset(session.tried)
    asked = cache(session.next_question)
    described = session.told.sounds_like(session.model.likeness)
    verdict, stand, beliefs = decide(
        index,
        session.model,
        found,
        tried,
        session.evidence,
        looks=len(session.answers) + len(session.unknown),
        nothing_left=lambda: asked() is None,
        described=described,
    )
    if session.refused or (verdict in CLEAN and session.told.trouble):
        # A complaint that nothing matches is no sign of health.
        verdict = "none-of-these"
    if stand is None and verdict == "none-of-these":
        stand = nearest(session.model, beliefs, session.seen)
    if verdict in CLEAN and session.evidence.unread():
        verdict = "not-read-whole"
    causes = _named(session, stand, beliefs, established=verdict == "established")
    if verdict == "none-of-these" and causes and not session.refused and asked() is not None:
        verdict = "likely"  # while a question could tell the causes apart, none is given up
    # What is established leaves no question open.
    question = asked() if asks and verdict != "established" else None
    failed = leading_symptoms(index, found)
    if verdict == "likely" and causes[0].word == "unlikely" and (failed or described):
        verdict = "unclear"  # many fit a little: the first of them is no answer
    bare = verdict in ("likely", "unclear", "none-of-these") and nothing_known(session, causes)
    shown = tuple(line_of(index, h, "") for h in failed)
    consequences = tuple(observed_line(index, o) for o in session.evidence.consequences)
    if bare and follows_only(session):
        verdict, causes, question = "unclear", (), None
        shown, consequences = (), (*shown, *consequences)
    elif bare:
        verdict, causes, shown = "none-of-these", (), (*shown, *raised_at(session))
    leader = causes[0] if causes else None
    also = also_wrong(index, session.model, beliefs, found, [c.name for c in causes])
    dimmed = pruned(session.model, beliefs, session.seen)
    over = [h for h in found if index.is_noted(h.seen.name, h.seen.outcome)]
    infos = [*fired(index, found, "info"), *over]
    if verdict in CLEAN:
        infos += [h for h in found if h.seen.name == TELLTALE and advises(h, index)]
    return Diagnosis(
        verdict=verdict,
        causes=causes,
        also_wrong=also,
        symptoms=shown,
        unexplained=()
        if bare
        else (
            *unexplained(index, found, set(leader.explains) if leader else set()),
            *last_exception(session),
        ),
        consequences=consequences,
        notes=tuple(line_of(index, h, "info") for h in infos),
        ruled_out=_ruled_out(session, beliefs, dimmed),
        none_chance=beliefs.none,
        next=question.look if question else None,
        context=dict(session.model.context.facts),
        not_checked=gaps(session.evidence, session.unknown),
        failed=failures(session.evidence),
        read=session.evidence.read,
        not_read=tuple(session.evidence.not_read),
        outside=tuple((f.name, f.by) for f in session.case.files if f.by),
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
    causes = tuple(c for c in causes if c.name not in session.told.ruled)
    return causes if established else tuple(map(unproven, causes))


def _ruled_out(
    session: Session, beliefs: Beliefs, dimmed: Mapping[str, Seen]
) -> tuple[CauseView, ...]:
    """Causes that findings rule out, and those that the user does."""
    index, found, ruled = session.index, session.found, session.told.ruled
    views = [
        view(index, name, beliefs, found, by)
        for name, by in sorted(dimmed.items())
        if name not in ruled
    ]
    by_hand = [
        replace(view(index, name, beliefs, found), word="ruled-out", pruned_by=by_you(quote))
        for name, quote in sorted(ruled.items())
    ]
    return (*by_hand, *views)
