"""Whether saved GPU output is of the time of the run."""

from __future__ import annotations

from medic.facts import LogHits, Source
from medic.probe import Look

# Someone who looks at a failed run saves nvidia-smi minutes after it; an hour later others use it.
SLACK = 15 * 60.0
# What a card itself tells, its heat and its errors, holds for longer than who is on it: clocks of a
# node and of a container that stand in different zones differ by less.
ZONES = 26 * 3600.0


def is_near(look: Look, source: Source, slack: float = SLACK) -> bool:
    """Within ``slack`` seconds of the run. Logs without times are compared by when files were
    written."""
    logs = look.fact(LogHits) if look.has(LogHits) else None
    if logs is None:
        return False
    if logs.last_time is not None:
        if source.time is None:
            return False
        first = logs.first_time if logs.first_time is not None else logs.last_time
        return first - slack <= source.time <= logs.last_time + slack
    return _written_together(look, source.file)


def _written_together(look: Look, name: str) -> bool:
    own = [f.modified for f in look.files("gpu-report", "gpu-series") if f.name == name]
    written = [f.modified for f in look.files("log") if f.modified]
    return bool(own and written) and abs(own[0] - max(written)) <= SLACK


def is_beside(look: Look, source: Source) -> bool:
    """Whether what a report tells of the cards may be of the run: it lies beside its logs and tells
    no time, or one that no zone explains away."""
    return source.time is None or is_near(look, source, ZONES)


def was_over(look: Look, time: float | None) -> bool:
    """Whether the run had ended at that time: what then holds memory is not the run."""
    logs = look.fact(LogHits) if look.has(LogHits) else None
    if logs is None or logs.ended not in ("well", "badly"):
        return False
    return time is not None and logs.last_time is not None and time > logs.last_time
