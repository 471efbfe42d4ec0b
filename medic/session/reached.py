"""How far a run came, and what it measured: the run after a change is held against it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from medic.facts import Curve, LogHits, Source
from medic.records import dataclass

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.runner.evidence import Evidence
    from medic.session.consultation import Session

LEAST_POINTS = 5  # values of a metric whose median is a level


@dataclass(frozen=True)
class Reached:
    """A run as far as it came.

    ``at``: the step at which its symptoms showed, else the last one; None before the first step.
    ``kind``: that of the file that tells this step, "" where no line does; ``last``: its last step.
    ``seconds`` from its first to its last line; ``levels``: of each metric that tells a better run
    its name, median and count; ``by``: the probes that saw the symptoms.
    """

    at: int | None = None
    seconds: float | None = None
    levels: tuple[tuple[str, float, int], ...] = ()
    by: tuple[str, ...] = ()
    last: int | None = None
    kind: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Reached:
        """From JSON, where a tuple is a list."""
        levels = tuple((str(n), float(m), int(c)) for n, m, c in data["levels"])
        by = tuple(map(str, data["by"]))
        more = data.get("last"), data.get("kind", "")
        return cls(data["at"], data["seconds"], levels, by, *more)


def reached(session: Session, symptoms: Iterable[str]) -> Reached:
    """How far the run of a session came until its ``symptoms`` showed."""
    evidence, wanted = session.evidence, list(symptoms)
    found = [o for o in evidence.observed if o.name in wanted and o.outcome == "present"]
    first: dict[str, tuple[int, str]] = {}
    for one in found:
        step = _step_at(evidence, one.finding.source)
        if step is not None:
            here = step, one.finding.source.file or ""
            first[one.name] = min(here, first.get(one.name, here))
    last = last_step(evidence)
    at, file = max(first.values()) if first else (last, "")
    return Reached(
        at=at,
        last=last,
        kind=_kinds(session).get(file, ""),
        seconds=seconds(evidence.fact(LogHits)),
        levels=levels(evidence, session.index, wanted),
        by=tuple(dict.fromkeys(o.probe for o in found)),
    )


def last_step(evidence: Evidence) -> int | None:
    """The last step that was trained; None if none was."""
    logs = evidence.fact(LogHits)
    steps = [step for _, step in _last_of_files(evidence)]
    if logs is not None and logs.last_step is not None:
        steps.append(logs.last_step)
    return max(steps, default=None)


def last_step_in(session: Session, kind: str) -> int | None:
    """The last step that the files of a kind tell; that of any where none of them tells one."""
    kinds = _kinds(session)
    found = [s for file, s in _last_of_files(session.evidence) if kind and kinds.get(file) == kind]
    return max(found, default=None) if found else last_step(session.evidence)


def _last_of_files(evidence: Evidence) -> Iterator[tuple[str, int]]:
    """File and step of each series' end and of each step line."""
    logs, curve = evidence.fact(LogHits), evidence.fact(Curve)
    for series in curve.series.values() if curve else ():
        if series.steps:
            yield series.file, series.steps[-1]
    for line in logs.steps if logs else ():
        yield line.source.file or "", line.step


def _kinds(session: Session) -> dict[str, str]:
    """The kind of each file, by its name and by its path."""
    return {name: f.kind for f in session.case.files for name in (f.name, f.path)}


def seconds(logs: LogHits | None) -> float | None:
    """From the first to the last line of a log that tells a time."""
    if logs is None or logs.first_time is None or logs.last_time is None:
        return None
    return logs.last_time - logs.first_time


def levels(
    evidence: Evidence, index: Index, symptoms: Sequence[str]
) -> tuple[tuple[str, float, int], ...]:
    """Name, median and count of each logged metric that tells whether these symptoms are mended."""
    curve = evidence.fact(Curve)
    if curve is None:
        return ()
    found = []
    for name in dict.fromkeys((*measures(index, symptoms, 1), *measures(index, symptoms, -1))):
        series = curve.series.get(name)
        values = [v for v in series.values if math.isfinite(v)] if series else []
        if len(values) >= LEAST_POINTS:
            found.append((name, float(median(values)), len(values)))
    return tuple(found)


def measures(index: Index, symptoms: Iterable[str], sign: int) -> list[str]:
    """Metrics that rise (``sign`` 1) or fall (-1) where one of the symptoms is mended."""
    known = [index.symptoms[n].better for n in symptoms if n in index.symptoms]
    both = [(b.rises if sign > 0 else b.falls) for b in known if b is not None]
    return [name for names in both for name in names]


def _step_at(evidence: Evidence, source: Source) -> int | None:
    """The last step that a file logs up to a line; None where it logs none before it."""
    if not source.file or not source.line:
        return None
    logs, curve = evidence.fact(LogHits), evidence.fact(Curve)
    steps = [s.step for s in (logs.steps if logs else ()) if _before(s.source, source)]
    for series in curve.series.values() if curve else ():
        if series.file == source.file:
            pairs = zip(series.lines, series.steps, strict=False)
            steps += [step for line, step in pairs if line <= source.line]
    return max(steps, default=None)


def _before(step: Source, source: Source) -> bool:
    return step.file == source.file and step.line <= source.line
