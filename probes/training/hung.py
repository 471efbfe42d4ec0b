"""A run that stood still before somebody ended it, where its program proves that it hangs."""

from __future__ import annotations

from itertools import pairwise

from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding

HANGS = "training-hangs"
# An evaluation or a save between two rows is as long as some of them: not four times the longest.
LEAST_SECONDS, LEAST_GAPS = 20.0, 4.0
_THEN = Text(", then somebody ended it", "，随后被人结束")


def hung(logs: LogHits) -> Finding | None:
    """The last step line and how long no step came after it, of a run that did not end well."""
    timed: list[tuple[float, Source]] = [
        (step.source.time, step.source) for step in logs.steps if step.source.time is not None
    ]
    if logs.ended != "badly" or logs.last_time is None or len(timed) < 3:
        return None
    times = sorted(time for time, _ in timed)
    gap = max(b - a for a, b in pairwise(times))
    last, source = max(timed, key=lambda one: (one[0], one[1].line))
    quiet = logs.last_time - last
    if quiet < max(LEAST_SECONDS, LEAST_GAPS * gap):
        return None
    silent = Text(f"{quiet:.0f} s", f"{quiet:.0f} 秒")
    return Finding(HANGS, value={"silent": silent, "then": _THEN}, source=source)
