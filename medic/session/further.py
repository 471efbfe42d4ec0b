"""Whether a remedy whose change was not enough has a next step: a micro batch is halved again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

# Computed values that go on from where the file stands; a timeout that was doubled in vain, or
# another port, is no step on the way.
STEPWISE = frozenset({"halve-to-divisor", "half-learning-rate"})
MOST_STEPS = 3  # that fail the same way: then it is another cause


def goes_further(session: Session, applied: Applied) -> bool:
    """Whether the remedy of a change that its run had in vain has another value for the files as
    they are now."""
    remedy = session.index.remedies.get(applied.remedy)
    if remedy is None or applied.cause not in session.index.causes:
        return False
    if not any(entry.compute in STEPWISE for entry in remedy.changes.values()):
        return False
    vain = [a for a in session.applied if a.remedy == remedy.name and a.shown == "same"]
    if len(vain) + 1 >= MOST_STEPS:  # this one is not among them yet
        return False
    return session.fix(remedy, applied.cause).patch is not None
