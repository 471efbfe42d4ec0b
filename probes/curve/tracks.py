"""Series of a policy, with their level at the beginning and at the end."""

from __future__ import annotations

from typing import Any

from medic.facts import Curve, Series, Source
from medic.probe import Finding, Look
from medic.records import dataclass

from .numbers import clean, median, typical
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

    @property
    def ends(self) -> tuple[int, int]:
        """Indices of the rows that stand for the first and the last tenth."""
        part = max(3, len(self.values) // PARTS)
        late = max(0, len(self.values) - part)
        return typical(self.values[:part]), late + typical(self.values[late:], late=True)

    def value(self) -> dict[str, Any]:
        """Both ends as their rows have them."""
        (first, last), at = self.ends, self.steps
        told = {"first": self.values[first], "first_step": int(at[first])}
        return {**told, "last": self.values[last], "step": at[last]}

    def beside(self, name: str) -> dict[str, Any]:
        """Both ends as numbers of ``name``, for a text that tells of another track first."""
        told = self.value()
        return {
            f"{name}_first": told["first"],
            f"{name}_first_step": told["first_step"],
            f"{name}_last": told["last"],
            f"{name}_step": int(told["step"]),
        }

    def sources(self, look: Look) -> tuple[Source, Source]:
        """The lines of both ends."""
        first, last = (self.series.steps.index(self.steps[n]) for n in self.ends)
        return source_at(look, self.series, first), source_at(look, self.series, last)


def track_of(curve: Curve, name: str, least: int = MIN_POINTS) -> Track | None:
    """The series of a metric, if it has ``least`` points."""
    series = curve.series.get(name)
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    return Track(series, steps, values) if series and len(values) >= least else None


def seen(look: Look, name: str, track: Track, outcome: str = "present") -> Finding:
    """A finding at the end of the track, with the line of its begin."""
    first, last = track.sources(look)
    return Finding(name, outcome, value=track.value(), source=last, more=(first,))
