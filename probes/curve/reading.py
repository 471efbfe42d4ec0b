"""The curve of a run: from its metrics files, and from step lines of the log for what they lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from medic.errors import Unreadable
from medic.facts import Curve, GivenFile, LogHits, Series
from medic.probe import Look, Probe, Skip

from .metrics import planned, series_of

MAX_FILES = 64


def run(look: Look) -> Iterator[Any]:
    by_rank: dict[int, dict[str, Series]] = {}
    steps: int | None = None
    for file in _newest(look.files("metrics")):
        try:
            found = series_of(look, file)
            steps = steps or planned(look, file)
        except Unreadable as problem:
            yield Skip(needs=f"{file.name}: {problem.en}")
            continue
        _keep_longer(by_rank.setdefault(file.rank or 0, {}), found)
    if look.has(LogHits):
        for rank, found in from_log(look.fact(LogHits)).items():
            mine = by_rank.setdefault(rank, {})
            for name, series in found.items():
                mine.setdefault(name, series)
    ranks = {r: s for r, s in by_rank.items() if s}
    if not ranks:
        yield Skip(needs="metrics (JSON lines, CSV, trainer_state.json) or step lines in a log")
        return
    first = min(ranks, key=lambda r: (-_points(ranks[r]), r))
    yield Curve(series=ranks[first], by_rank=ranks, planned_steps=steps)


def _newest(files: Any) -> list[GivenFile]:
    """Newest first, so that the last attempt's file wins; of checkpoints' states only the last."""
    return sorted(files, key=lambda f: (-f.modified, f.name))[:MAX_FILES]


def _points(series: Mapping[str, Series]) -> int:
    return max(len(s.steps) for s in series.values())


def _keep_longer(mine: dict[str, Series], found: Mapping[str, Series]) -> None:
    """A series of a newer file stays unless an older file holds more than its whole stretch."""
    for name, series in found.items():
        known = mine.get(name)
        if known is None or (len(series.steps) > len(known.steps) and _covers(series, known)):
            mine[name] = series


def _covers(longer: Series, shorter: Series) -> bool:
    inside = longer.steps[0] <= shorter.steps[0] and longer.steps[-1] >= shorter.steps[-1]
    return inside and longer.file.rpartition("/")[2] == shorter.file.rpartition("/")[2]


def from_log(logs: LogHits) -> dict[int, dict[str, Series]]:
    """Step lines as series by rank."""
    columns: dict[tuple[int, str, str], tuple[list[int], list[float], list[int]]] = {}
    for line in logs.steps:
        rank = line.source.rank or 0
        for name, value in line.values.items():
            key = (rank, name, line.source.file)
            steps, values, lines = columns.setdefault(key, ([], [], []))
            if not steps or line.step > steps[-1]:
                steps.append(line.step)
                values.append(value)
                lines.append(line.source.line)
    found: dict[int, dict[str, Series]] = {}
    for (rank, name, file), (steps, values, lines) in columns.items():
        known = found.setdefault(rank, {}).get(name)
        if known is None or len(steps) > len(known.steps):
            found[rank][name] = Series(name, file, tuple(steps), tuple(values), tuple(lines), rank)
    return found


PROBE = Probe(
    name="curve",
    tells=(),
    wants=(LogHits,),
    gives=(Curve,),
    reliability="exact",
    seconds=0.2,
    run=run,
)
