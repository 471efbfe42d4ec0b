"""Faults of earlier runs, several in a row: each that a later run has passed is said to be gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.records import replace

from . import words_after
from .lines import joined

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

    from .consultation import Consultation

_OPEN = ("other", "")  # what the runs so far showed of it leaves it open
SHOWN = 3


def keep(talk: Consultation, one: Applied) -> None:
    """A fault that medic changed nothing against, which another one has covered up."""
    if not one.change:
        talk.session.applied.append(replace(one, shown="other"))


def tell(talk: Consultation, last: Applied) -> None:
    """Which faults before the ``last`` one this run has passed as well."""
    from medic.session.proof import proof

    session = talk.session
    seen = session.observed_symptoms()
    for one in list(session.applied):
        told_now = one.symptoms == last.symptoms or one.change == last.change != ""
        if told_now or one.shown not in _OPEN or not one.symptoms or seen & set(one.symptoms):
            continue
        found = proof(session, one)
        if found.state != "proved":
            continue
        session.applied = [replace(a, shown="gone") if a == one else a for a in session.applied]
        told = words_after.GONE_TOO if one.change else words_after.GONE_TOO_BY_HAND
        told = told.fill(titles=titles(session, one), change=one.change, why=found.told)
        talk.tell(told, "good")


def titles(session: Session, one: Applied) -> Text:
    """The symptoms of a fault in words."""
    known = [session.index.title(n) for n in one.symptoms if n in session.index.symptoms]
    return joined(known[:SHOWN], "”, “", "”、“") if known else plain("?")
