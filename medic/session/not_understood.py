"""Words that are all there is, and of which nothing was made out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from medic.told.first_loss import of_first_loss

if TYPE_CHECKING:
    from medic.planner.verdict import Verdict
    from medic.session.consultation import Session
    from medic.told.understood import Told

NotUnderstood = Literal["", "question", "complaint"]


def not_understood(session: Session, verdict: Verdict, *, shown: bool) -> NotUnderstood:
    """What the words are where nothing else was given, they do not say that all is well, and what
    they tell of is not known; "" of all others. ``shown``: whether a symptom is."""
    told = session.told
    if shown or session.evidence.read or verdict not in ("none-of-these", "no-fault-seen"):
        return ""
    if not told.words or (told.at_ease and _says_well(told)) or of_first_loss(told.words):
        return ""
    return "question" if told.asks else "complaint"


def _says_well(told: Told) -> bool:
    """Whether words at ease say more than that one symptom is not there: that is no health."""
    from medic.match import all_well, fine, praises, reassures

    words = told.words
    return not told.denials or praises(words) or reassures(words) or fine(words) or all_well(words)
