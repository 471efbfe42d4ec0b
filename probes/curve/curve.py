"""Makes the Curve fact from metrics files, and from the step lines of logs where those lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from medic.errors import Unreadable
from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.probe import Look, Probe, Skip, Unread
from medic.records import dataclass

from ..logs.prefix import rank_of_file
from . import needs, rows

Point = tuple[int, float, int]  # step, value, line


@dataclass
class Points:
    """Metrics of one writer in file order."""

    file: str
    rank: int | None
    metrics: dict[str, list[Point]] = field(default_factory=dict)
    resumed: list[int] = field(default_factory=list)
    last: int | None = None

    def add(
        self,
        step: int,
        values: Mapping[str, float],
        line: int,
        lines: Mapping[str, int] | None = None,
    ) -> None:
        """A step that goes back is a restart from a checkpoint: what it repeats is replaced."""
        if self.last is not None and step < self.last:
            for name, points in self.metrics.items():
                self.metrics[name] = [p for p in points if p[0] < step]
            if any(self.metrics.values()):
                self.resumed.append(step)
        self.last = step
        for name, value in values.items():
            points = self.metrics.setdefault(name, [])
            if points and points[-1][0] == step:
                points.pop()
            points.append((step, value, (lines or {}).get(name, line)))

    def series(self) -> dict[str, Series]:
        made = {}
        for name, points in self.metrics.items():
            steps, values, lines = zip(*points, strict=True) if points else ((), (), ())
            made[name] = Series(name, self.file, steps, values, lines, self.rank)
        return {name: s for name, s in made.items() if s.steps}


def run(look: Look) -> Iterator[Curve | Skip | Unread]:
    writers: list[Points] = []
    planned = None
    for given in look.files("metrics"):
        try:
            table = rows.read(look, given)
        except Unreadable as problem:
            yield Unread(given.name, Text(problem.en, problem.zh))
            continue
        planned = planned or table.planned_steps
        writers += _of_table(table, given.name, rank_of_file(given.path))
    if look.has(LogHits):
        writers += _of_logs(look.fact(LogHits))
    curve = combine(writers, planned)
    if curve is None:
        yield Skip(needs.METRICS)
    else:
        yield curve


def _of_table(table: rows.Table, file: str, rank: int | None) -> Iterable[Points]:
    by_rank: dict[int | None, Points] = {}
    for ordinal, row in enumerate(table.rows, 1):
        of = rank if row.rank is None else row.rank
        if of not in by_rank:
            by_rank[of] = Points(file, of)
        step = ordinal if row.step is None else row.step
        by_rank[of].add(step, row.values, row.line, row.lines)
    return by_rank.values()


def _of_logs(logs: LogHits) -> Iterable[Points]:
    by_writer: dict[tuple[str, int | None], Points] = {}
    for step in logs.steps:
        key = (step.source.file, step.source.rank)
        if key not in by_writer:
            by_writer[key] = Points(*key)
        by_writer[key].add(step.step, step.values, step.source.line)
    return by_writer.values()


def combine(writers: Sequence[Points], planned: int | None) -> Curve | None:
    """Each metric of a rank comes from the writer with most points; the lowest rank leads.

    A writer that names no rank is taken for the leading one.
    """
    named = [w.rank for w in writers if w.rank is not None]
    leader = min(named, default=0)
    by_rank: dict[int, dict[str, Series]] = {}
    for writer in writers:
        known = by_rank.setdefault(leader if writer.rank is None else writer.rank, {})
        for name, made in writer.series().items():
            if name not in known or len(made.steps) > len(known[name].steps):
                known[name] = made
    ranks = {rank: by_rank[rank] for rank in sorted(by_rank) if by_rank[rank]}
    if not ranks:
        return None
    resumed = sorted({step for w in writers for step in w.resumed})
    return Curve(next(iter(ranks.values())), ranks, planned, tuple(resumed))


PROBE = Probe(
    name="curve",
    tells=(),
    run=run,
    wants=(LogHits,),
    gives=(Curve,),
    seconds=0.1,
    limit_seconds=30.0,
)
