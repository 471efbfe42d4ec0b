"""What the curve of the new run says of a learning rate that was changed: the run had it or not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from medic.facts import Curve, Source
from medic.records import dataclass

if TYPE_CHECKING:
    from medic.fixes import Fix
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

FIELD = "learning_rate"
NEAR = 0.01  # logs round a rate to a few digits


@dataclass(frozen=True)
class Ran:
    """The peak learning rate of a run, where it stands, and whether it is the changed one."""

    rate: float
    source: Source
    as_set: bool


def rates_of(fix: Fix) -> tuple[float, float] | None:
    """The peak learning rate before and after a change; None where it changes none."""
    for change in fix.changes:
        if change.field == FIELD:
            old, new = _number(change.old), _number(change.new)
            return None if old is None or new is None else (old, new)
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def ran(session: Session, applied: Applied) -> Ran | None:
    """By the highest rate that was logged. None where none was, or where it may still rise to
    either: a rate that was never reached is no proof."""
    curve = session.evidence.fact(Curve)
    series = curve.series.get(FIELD) if curve is not None else None
    points = zip(series.values, series.lines, strict=False) if series is not None else ()
    finite = [(value, line) for value, line in points if math.isfinite(value)]
    if applied.rates is None or series is None or not finite:
        return None
    top, line = max(finite, key=lambda point: point[0])
    before, after = applied.rates
    as_set = math.isclose(top, after, rel_tol=NEAR)
    as_before = math.isclose(top, before, rel_tol=NEAR)
    if as_set == as_before and not top > after * (1 + NEAR):
        return None
    return Ran(top, Source(series.file, line, series.rank), as_set)


def of_the_rate(session: Session, applied: Applied) -> set[str]:
    """The symptom that only says, of a rate that was changed, that the run did not have the change."""
    by_rate = ran(session, applied)
    return set() if by_rate is None or by_rate.as_set else {"learning-rate-not-as-set"}
