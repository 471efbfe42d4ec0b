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


def mended(talk: Consultation, one: Applied) -> None:
    """A fault that is gone though medic changed nothing: kept with the cause that was named for
    it, as what the talk came to."""
    if one.change:
        return  # it is among the changes, and what the run showed is noted there
    kept = talk.session.applied
    talk.session.applied = [*kept, replace(one, cause=_named(talk), shown="gone")]


def _named(talk: Consultation) -> str:
    """The cause that led before the run that shows nothing of the fault; "" if none did."""
    causes = talk.session.index.causes
    if talk.found is not None:
        sure = talk.found.verdict in ("established", "likely")
        return talk.found.causes[0].name if sure and talk.found.causes else ""
    code = (talk.kept.get("leader") or {}).get("code", "")
    return next((c.name for c in causes.values() if code and c.code == code), "")


def fixed(session: Session) -> list[Applied]:
    """The faults that a later run was seen without, and that are not there again: those of changes
    that hold, and those mended by hand."""
    from medic.session.saved import taken_back

    seen = session.observed_symptoms()
    gone = [a for a in session.applied if a.shown.startswith("gone") and a.symptoms]
    return [a for a in gone if not seen & set(a.symptoms) and not taken_back(a.change)]


def titled(session: Session, one: Applied) -> tuple[Text, str]:
    """A fault by its cause and the code of that; by its symptoms where no cause was named."""
    cause = session.index.causes.get(one.cause)
    return (cause.title, cause.code) if cause else (titles(session, one), "")


def tell(talk: Consultation, last: Applied) -> None:
    """Which faults before the ``last`` one this run has passed as well."""
    from medic.session.proof import proof
    from medic.session.recheck import gone

    session = talk.session
    seen = session.observed_symptoms()
    for one in list(session.applied):
        told_now = one.symptoms == last.symptoms or one.change == last.change != ""
        if told_now or one.shown not in _OPEN or not one.symptoms or seen & set(one.symptoms):
            continue
        found = proof(session, one)
        if found.state != "proved":
            continue
        shown = gone(session, one)
        session.applied = [replace(a, shown=shown) if a == one else a for a in session.applied]
        told = (
            words_after.GONE_TOO if one.change and shown == "gone" else words_after.GONE_TOO_BY_HAND
        )
        told = told.fill(titles=titles(session, one), change=one.change, why=found.told)
        talk.tell(told, "good")


def titles(session: Session, one: Applied) -> Text:
    """The symptoms of a fault in words."""
    known = [session.index.title(n) for n in one.symptoms if n in session.index.symptoms]
    return joined(known[:SHOWN], "”, “", "”、“") if known else plain("?")
