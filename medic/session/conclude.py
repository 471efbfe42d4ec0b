"""The whole answer over a session: verdict, causes, what else is wrong, what is left."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from medic.entries.words import TELLTALE
from medic.i18n import Text
from medic.planner.begun import disproved, takes_effect
from medic.planner.standing import nearest, pruned
from medic.planner.verdict import (
    CLEAN,
    NO_ANSWER,
    NOTHING_NAMED,
    advises,
    decide,
    fired,
    leading_symptoms,
)
from medic.records import replace
from medic.session.affected import with_versions
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
from medic.session.not_understood import not_understood

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from medic.beliefs.likelihoods import Seen
    from medic.beliefs.model import Beliefs
    from medic.case.collect import NotRead
    from medic.facts import Source
    from medic.planner.questions import Question
    from medic.planner.standing import Standing
    from medic.planner.verdict import Heard, Verdict
    from medic.session.consultation import Session
    from medic.session.diagnosis import EvidenceLine


_RAN = Text(
    "{seen}; but the run got past its start, so that it was not so when it ran",
    "{seen}；但运行已过启动阶段，说明当时并非如此",
)
_SHOWN = Text(
    "{seen}; but the rows of the log show a batch that grows",
    "{seen}；但日志各行显示批次在增大",
)


class _Answer(NamedTuple):
    """The verdict, what it names, and what is asked next; ``bare``: what failed says nothing of why."""

    verdict: Verdict
    causes: tuple[CauseView, ...]
    question: Question | None
    beliefs: Beliefs
    bare: bool
    of_read: Verdict | None = None


def conclude(session: Session, *, asks: bool = True) -> Diagnosis:
    """Where the case stands now; ``asks``: with the next question, which costs as much again."""
    index, found, evidence = session.index, session.found, session.evidence
    verdict, causes, question, beliefs, bare, of_read = _answer(session, asks=asks)
    shown = tuple(line_of(index, h, "") for h in leading_symptoms(index, found))
    consequences = tuple(observed_line(index, o) for o in evidence.consequences)
    if bare and verdict == "unclear":
        shown, consequences = (), (*shown, *consequences)
    elif bare:
        shown = (*shown, *raised_at(session))
    also = also_wrong(index, session.model, beliefs, found, [c.name for c in causes])
    told = {(e.name, e.text.en) for cause in causes[:1] for e in cause.evidence}
    lines = (line_of(index, h, "info") for h in _noted(session, verdict))
    noted = [line for line in lines if (line.name, line.text.en) not in told]
    if verdict in NOTHING_NAMED:  # what a sound run prints of itself is by design
        noted += _of(also, {line.source for line in noted})
        also = ()
    return Diagnosis(
        verdict=verdict,
        causes=causes,
        also_wrong=also,
        symptoms=shown,
        unexplained=() if bare else _unexplained(session, causes),
        consequences=consequences,
        notes=(*noted, *_disproved(session)),
        ruled_out=_ruled_out(session, beliefs, pruned(session.model, beliefs, session.seen)),
        not_understood=not_understood(session, verdict, shown=bool(shown)),
        none_chance=beliefs.none,
        next=question.look if question else None,
        context=dict(session.model.context.facts),
        not_checked=gaps(evidence, session.unknown),
        failed=failures(evidence),
        read=evidence.read,
        not_read=_left(evidence.not_read, causes),
        of_read=of_read,
        outside=tuple((f.name, f.by) for f in session.case.files if f.by),
        case_run=session.case.run,
        other_runs=tuple(r for r in session.case.runs if r != session.case.run),
    )


def _left(not_read: Sequence[NotRead], causes: Sequence[CauseView]) -> tuple[NotRead, ...]:
    """What was not read, but for files of earlier runs whose lines the answer shows."""
    lines = [line for cause in causes for line in cause.evidence]
    cited = {s.file for line in lines for s in (line.source, *line.more)}
    return tuple(n for n in not_read if not n.earlier or n.file not in cited)


def _answer(session: Session, *, asks: bool) -> _Answer:
    asked = cache(session.next_question)
    described = session.told.sounds_like(session.model.likeness)
    verdict, stand, beliefs = decide(
        session.index,
        session.model,
        session.found,
        frozenset(session.tried),
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
    of_read = verdict if verdict in CLEAN and session.evidence.unread() else None
    if of_read is not None:
        verdict = "not-read-whole"
    causes = _named(session, stand, beliefs, established=verdict == "established")
    if verdict == "none-of-these" and causes and not session.refused and asked() is not None:
        verdict = "likely"  # while a question could tell the causes apart, none is given up
    # What is established leaves no question open.
    question = asked() if asks and verdict != "established" else None
    failed = leading_symptoms(session.index, session.found)
    if verdict == "likely" and causes[0].word == "unlikely" and (failed or described):
        verdict = "unclear"  # many fit a little: the first of them is no answer
    if verdict in ("likely", *NO_ANSWER) and nothing_known(session, causes):
        if follows_only(session):
            return _Answer("unclear", (), None, beliefs, bare=True)
        return _Answer("none-of-these", (), question, beliefs, bare=True)
    return _Answer(verdict, causes, question, beliefs, bare=False, of_read=of_read)


def _unexplained(session: Session, causes: Sequence[CauseView]) -> tuple[EvidenceLine, ...]:
    explained = set(causes[0].explains) if causes else set()
    return (*unexplained(session.index, session.found, explained), *last_exception(session))


def _noted(session: Session, verdict: Verdict) -> list[Heard]:
    """What is worth a line and no fault."""
    index, found = session.index, session.found
    noted = [h for h in found if index.is_noted(h.seen.name, h.seen.outcome)]
    if verdict in CLEAN:
        noted += [h for h in found if h.seen.name == TELLTALE and advises(h, index)]
    return [*fired(index, found, "info"), *noted]


def _of(causes: Sequence[CauseView], told: Collection[Source]) -> list[EvidenceLine]:
    """The first line of each cause as a note, without those that are ``told``."""
    lines = [cause.evidence[0] for cause in causes if cause.evidence]
    return [replace(line, weight="info") for line in lines if line.source not in told]


def _disproved(session: Session) -> Iterator[EvidenceLine]:
    """What the files show and a run that trained disproves, each as a note."""
    for one in disproved(session.evidence, session.index, session.complaints):
        line = observed_line(session.index, one)
        how = _SHOWN if takes_effect(session.evidence, one) else _RAN
        yield replace(line, kind="check", weight="info", text=how.fill(seen=line.text))


def _named(
    session: Session, stand: Standing | None, beliefs: Beliefs, *, established: bool
) -> tuple[CauseView, ...]:
    """The causes in question, best first; none where nothing stands."""
    if stand is None:
        return ()
    causes = ranked_causes(session.index, session.model, stand, beliefs, session.found)
    facts, ruled = session.evidence.facts, session.told.ruled
    causes = tuple(with_versions(session.index, c, facts) for c in causes if c.name not in ruled)
    if established:
        return causes
    causes = tuple(map(unproven, causes))
    return tuple(map(_perhaps, causes)) if _few_words(session) else causes


def _perhaps(cause: CauseView) -> CauseView:
    """What rests on a few words is possible at most."""
    return replace(cause, word="possible") if cause.word == "likely" else cause


def _few_words(session: Session) -> bool:
    """Whether all that is known are a few words, none of which names a cause, and no answer."""
    from medic.told.bare_words import few

    told = session.told
    alone = bool(told.words) and not (session.case.files or session.case.parts or session.answers)
    return alone and TELLTALE not in told.answered and few(told.words)


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
