"""Series of a policy, with their level at the beginning and at the end."""

from __future__ import annotations

from typing import Any

from medic.facts import Curve, Series
from medic.probe import Finding, Look
from medic.records import dataclass

from .numbers import clean, median
from .plan import source_at

MIN_POINTS = 20
FEW_POINTS = 8  # do for what is exactly zero, or out of all bounds
PARTS = 10  # of a run: its first and last are compared


@dataclass(frozen=True)
class Track:
    """A series with the medians of its first and last tenth."""

    series: Series
    steps: list[int]
    values: list[float]

    @property
    def first(self) -> float:
        return median(self.values[: max(3, len(self.values) // PARTS)])

    @property
    def last(self) -> float:
        return median(self.values[-max(3, len(self.values) // PARTS) :])

    def value(self) -> dict[str, Any]:
        return {"first": self.first, "last": self.last, "step": self.steps[-1]}


def track_of(curve: Curve, name: str, least: int = MIN_POINTS) -> Track | None:
    """The series of a metric, if it has ``least`` points."""
    series = curve.series.get(name)
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    return Track(series, steps, values) if series and len(values) >= least else None


def seen(look: Look, name: str, track: Track, outcome: str = "present") -> Finding:
    """A finding at the last point of the track."""
    source = source_at(look, track.series, track.series.steps.index(track.steps[-1]))
    return Finding(name, outcome, value=track.value(), source=source)
