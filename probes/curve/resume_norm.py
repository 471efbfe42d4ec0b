"""The gradient's norm behind a start: new moments of Adam take some dozen steps to settle."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import LogHits, Source
from medic.probe import Finding, Look

from .numbers import median
from .plan import quoted
from .resume_points import Row

CHECK = "norm-after-resume"
LAST, FIRST = 10, 3  # rows on either side
LEAPS, SETTLED = 2.0, 1.3  # times the level before
LATER = 30  # rows behind the start, from which on it has to be back


def judge(look: Look, before: Sequence[Row], after: Sequence[Row]) -> Iterator[Finding]:
    """A norm that leaps with the loss and comes back as that does. None where it is not logged, or
    the log ends too soon."""
    logs = look.fact(LogHits)
    norms = {
        (line.source.file, line.source.line): line.values["grad_norm"]
        for line in (*logs.earlier_steps, *logs.former_steps, *logs.steps)
        if "grad_norm" in line.values
    }
    was = _of(norms, before[-LAST:])
    now, later = _of(norms, after[:FIRST]), _of(norms, after[LATER : LATER + LAST])
    if len(was) < LAST or len(now) < FIRST or len(later) < LAST:
        return
    old, new, end = (median([value for value, _ in part]) for part in (was, now, later))
    if not new > LEAPS * old:
        yield Finding(CHECK, "usual")
    elif end < SETTLED * old:
        value = {"before": old, "after": new, "later": end, "step": after[0].step}
        yield Finding(
            CHECK, "leaps-and-settles", value, quoted(look, now[0][1]), more=(was[-1][1],)
        )


def _of(norms: dict[tuple[str, int], float], rows: Sequence[Row]) -> list[tuple[float, Source]]:
    found = [(norms.get((r.source.file, r.source.line), math.nan), r.source) for r in rows]
    return [(value, source) for value, source in found if math.isfinite(value)]
