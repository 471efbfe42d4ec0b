"""After a change: whether the next run's log shows the fault gone, the same, or another one."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from medic.facts import LogHits
from medic.records import dataclass

if TYPE_CHECKING:
    from medic.session import Session

Outcome = Literal["gone", "same", "other", "unseen", "unread"]
OF_A_RUN = ("log", "metrics", "gpu-series", "flight-recorder")


@dataclass(frozen=True)
class Applied:
    """A change that was written on advice.

    ``time``: seconds since the epoch; ``symptoms``: those that the evidence showed before it.
    """

    change: str
    remedy: str
    cause: str
    time: float
    symptoms: tuple[str, ...] = ()


def applied_now(session: Session, change: str, remedy: str, cause: str) -> Applied:
    """The record of a change that was written just now."""
    seen = tuple(sorted(session.observed_symptoms()))
    return Applied(change, remedy, cause, time.time(), seen)


def take_new_logs(session: Session, applied: Applied, pasted: str = "") -> bool:
    """Takes the files of the run after a change, and what was ``pasted`` of it, in place of those
    before it.

    False, and the case as it was, if no log or metrics file was written since.
    """
    before = session.case
    session.case = replace(before, pasted=pasted)
    session.collect_again()
    logs = [f for f in session.case.files if f.kind in OF_A_RUN]
    fresh = [f.path for f in logs if f.modified > applied.time or f.name.startswith("<pasted")]
    if not fresh:
        session.case = before
        return False
    session.collect_again(leave_out=[f.path for f in logs if f.path not in fresh])
    return True


def outcome(session: Session, applied: Applied) -> Outcome:
    """What the evidence of the new run says.

    ``unseen`` where the fault never showed in any log, ``unread`` where the new one could not be
    read: silence is no proof.
    """
    if not applied.symptoms:
        return "unseen"
    seen = session.observed_symptoms()
    if seen & set(applied.symptoms):
        return "same"
    if session.evidence.cancelled or _logs_failed(session):
        return "unread"
    return "other" if seen else "gone"


def _logs_failed(session: Session) -> bool:
    runs = session.evidence.runs.values()
    return any(r.state == "failed" and LogHits in r.probe.gives for r in runs)
