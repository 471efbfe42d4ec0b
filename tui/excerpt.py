"""Pasted lines that were read already: where they stand, and what was seen in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import after, words_talk
from .lines import Block, Line
from .seen import LONG, finding, place_of

if TYPE_CHECKING:
    from .consultation import Consultation

SHOWN = 3


def known(talk: Consultation, text: str) -> bool:
    """Whether the lines stand in a log of the run that failed: they are no further evidence, and
    what was found in them is told."""
    from medic.session.excerpt import stands_in

    session, found = talk.session, talk.found
    if talk.waiting is not None or found is None or not found.causes or talk.stale:
        return False
    if not session.observed_symptoms() or (there := stands_in(session, text)) is None:
        return False
    every = [e for cause in (*found.causes[:1], *found.also_wrong) for e in cause.evidence]
    every += [*found.unexplained, *found.consequences, *found.notes]
    inside = [
        e
        for e in every
        if e.source.file == there.file and there.first <= e.source.line <= there.last
    ]
    where = {"file": there.file, "line": there.first}
    lines = [Line(words_talk.READ_ALREADY.fill(where), "strong")]
    lines += [
        Line(finding(session, e, LONG), mark="· ", indent=2, where=place_of(session, e))
        for e in dict.fromkeys(inside[:SHOWN])
    ]
    if not inside:
        lines.append(Line(words_talk.NO_SIGN_IN_IT, indent=2))
    leads = found.causes[0]
    lines.append(Line(words_talk.STILL_LEADS.fill(title=leads.title, code=leads.code)))
    talk.tell(Block("medic", tuple(lines)), top=True)
    after.go_on(talk)
    return True
