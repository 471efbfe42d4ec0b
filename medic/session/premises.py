"""What a person, or the configuration, says of a message that was read: that its premise does not hold.

A refusal tells what the program saw. Where the run does not use what it speaks of, or has given what
it asks for, the program saw something else than was written: the message is no proof of its usual
cause then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.beliefs.likelihoods import DOUBTED, Seen
from medic.entries.words import TELLTALE
from medic.facts import Source
from medic.planner.verdict import Heard
from medic.probe import SETTLED, Finding
from medic.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from medic.session.consultation import Session

PREMISE, MET = "refusal-premise", "demand-is-met"


def beside_lines(session: Session) -> list[Heard]:
    """Answers of words to what is asked beside a symptom, where a line of it was read, and the
    settings that are as a message demands."""
    answered = {*session.told.answered, *dict(session.answers)}
    found = [*_in_settings(session), *_in_words(session)]  # what is written before what is said
    first = {item.seen.name: item for item in reversed(found)}
    return [item for name, item in first.items() if name not in answered]


def _in_words(session: Session) -> Iterator[Heard]:
    from medic.match.sayings import told_of
    from medic.told.cited import cited
    from medic.told.speakers import own_words

    index = session.index
    words = "\n".join(filter(None, (own_words(session.told.words), session.case.hints)))
    read = {o.name for o in session.evidence.observed if o.outcome == "present"}
    if not words or not read:
        return
    for name, quote in told_of(words, index, "said_of").items():
        check, _, outcome = name.partition("=")
        if not read.isdisjoint(index.checks[check].beside):
            source = Source(text=cited(quote, session.told.words))
            yield Heard(Seen(check, outcome, "person"), Finding(check, outcome, source=source))


def _in_settings(session: Session) -> Iterator[Heard]:
    """A setting of a cause whose own words were read, where its check finds both sides as they
    should be."""
    observed = session.evidence.observed
    printed = {o.outcome for o in observed if o.name == TELLTALE and o.reliability == "exact"}
    for one in observed:
        if one.name in printed and one.finding.value.get(SETTLED):
            yield Heard(
                Seen(PREMISE, MET, "heuristic"),
                Finding(PREMISE, MET, source=one.finding.source),
            )


def doubted(found: Sequence[Heard], session: Session) -> list[Heard]:
    """The findings; words of a cause that a denied premise speaks against are doubted."""
    against = denied_causes(found, session)
    return [
        replace(h, seen=replace(h.seen, reliability=DOUBTED))
        if h.seen.name == TELLTALE and h.seen.outcome in against and h.seen.reliability == "exact"
        else h
        for h in found
    ]


def denied_causes(found: Sequence[Heard], session: Session) -> frozenset[str]:
    """Causes that a denied premise speaks strongly against."""
    denied = {h.seen.outcome for h in found if h.seen.name == PREMISE}
    if not denied:
        return frozenset()
    return frozenset(
        name
        for name, ties in session.index.ties.causes.items()
        for check, outcome, weight in ties.links
        if check == PREMISE and outcome in denied and weight == "strongly-against"
    )


def without_denied(likeness: Mapping[str, float], session: Session) -> Mapping[str, float]:
    """The likeness without these causes: what is written is about the message, and denies it."""
    denied = denied_causes(beside_lines(session), session)
    return {n: r for n, r in likeness.items() if n not in denied} if denied else likeness
