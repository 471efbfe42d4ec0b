"""How far a run came that trains on, or ended as it was to."""

from __future__ import annotations

from medic.facts import LogHits


def goes_on(logs: LogHits) -> int:
    """Its last logged step; 0 for a run that failed, whose next look may be for the fault."""
    if logs.ended == "badly" or logs.exceptions:
        return 0
    return logs.last_step or max((s.step for s in logs.steps), default=0)
