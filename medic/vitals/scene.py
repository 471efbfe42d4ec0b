"""One row, and what the rows are read from."""

from __future__ import annotations

import math
from typing import Literal

from medic.case.collect import NotRead
from medic.facts import Curve, LogHits, Series, Source
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import dataclass, field
from medic.runner.evidence import Evidence, Observed
from medic.session.sentences import finding_text

State = Literal["ok", "not-ok", "not-seen"]
Judged = tuple[State, Text, Source]
MIN_POINTS = 10


@dataclass(frozen=True)
class Vital:
    """One row; ``source`` is the line that it was read from."""

    name: str
    title: Text
    state: State
    text: Text
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Stop:
    """Why the run is over or stands still, and the line or file that shows it."""

    why: Text
    source: Source


@dataclass(frozen=True)
class Vitals:
    """``stop`` is None while the run goes on or when it ended well. ``gap``: usual seconds between
    logged steps, 0 where unknown. ``unread``: what could not be read, or not to its end. ``last``:
    the newest step line that tells its time; ``wrote``: the files that hold steps."""

    rows: tuple[Vital, ...]
    stop: Stop | None = None
    step: int | None = None
    planned: int | None = None
    finished: bool = False
    gap: float = 0.0
    unread: tuple[NotRead, ...] = ()
    last: Source | None = None
    wrote: frozenset[str] = frozenset()

    @property
    def is_ok(self) -> bool:
        return self.stop is None and not self.unread and all(r.state != "not-ok" for r in self.rows)

    @property
    def is_seen(self) -> bool:
        return any(r.state != "not-seen" for r in self.rows)


@dataclass(frozen=True)
class Scene:
    """What the rows are read from."""

    index: Index
    evidence: Evidence
    curve: Curve

    def finding(self, name: str) -> Observed | None:
        return next((o for o in self.evidence.observed if o.name == name), None)

    def bad(self, *names: str) -> tuple[Text, Source] | None:
        """The first of these symptoms that is present, in words."""
        for name in names:
            found = self.finding(name)
            if found is not None and found.outcome == "present":
                return finding_text(self.index, found.finding), found.finding.source
        return None

    def threshold(self, name: str) -> float:
        for check in self.index.checks.values():
            if name in check.thresholds:
                return float(check.thresholds[name].value)
        raise KeyError(name)


def unseen(en: str, zh: str) -> Judged:
    return "not-seen", Text(en, zh), Source()


def finite(series: Series | None) -> list[float]:
    return [v for v in series.values if math.isfinite(v)] if series else []


def last_of(scene: Scene, series: Series, at: int = -1) -> Source:
    """The line of a point; of a log with its words."""
    line = series.lines[at]
    logs = scene.evidence.fact(LogHits)
    for step in logs.steps if logs else ():
        if step.source.line == line and step.source.file == series.file:
            return Source(series.file, line, step.source.rank, step.source.time, step.source.text)
    return Source(series.file, line, series.rank)
