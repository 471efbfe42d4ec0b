"""Makes the Curve fact from metrics files, and from the step lines of logs where those lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from medic.errors import Unreadable
from medic.facts import Curve, LogHits, Series
from medic.i18n import Text
from medic.probe import Look, Probe, Skip, Unread
from medic.records import dataclass, field

from ..logs.prefix import rank_of_file
from . import needs, rows
from .trackers import problem_words

Point = tuple[int, float, int]  # step, value, line


@dataclass
class Points:
    """Metrics of one writer in file order."""

    file: str
    rank: int | None
    metrics: dict[str, list[Point]] = field(default_factory=dict)
    resumed: list[int] = field(default_factory=list)
    last: int | None = None
    replaced: list[Series] = field(default_factory=list)

    def add(
        self,
        step: int,
        values: Mapping[str, float],
        line: int,
        lines: Mapping[str, int] | None = None,
    ) -> None:
        """A step that goes back is a restart from a checkpoint: what it repeats is replaced.

        Metrics that all lag behind only stand apart: evaluations that are written after training.
        """
        back = self.last is not None and step < self.last
        if back and values and not self._repeats(step, values):
            self._append(step, values, line, lines)
            return
        if back:
            again = [p for p in self.metrics.get("loss", ()) if p[0] >= step]
            for name, points in self.metrics.items():
                self.metrics[name] = [p for p in points if p[0] < step]
            if again:
                self.replaced.append(_series("loss", self.file, again, self.rank))
            if any(self.metrics.values()):
                self.resumed.append(step)
        self.last = step
        self._append(step, values, line, lines)

    def _repeats(self, step: int, values: Mapping[str, float]) -> bool:
        """Whether a metric has a value of this step or a later one already."""
        known = (self.metrics.get(name) for name in values)
        return any(points and points[-1][0] >= step for points in known)

    def _append(
        self,
        step: int,
        values: Mapping[str, float],
        line: int,
        lines: Mapping[str, int] | None,
    ) -> None:
        for name, value in values.items():
            points = self.metrics.setdefault(name, [])
            if points and points[-1][0] == step:
                points.pop()
            points.append((step, value, (lines or {}).get(name, line)))

    def series(self) -> dict[str, Series]:
        made = {}
        for name, points in self.metrics.items():
            made[name] = _series(name, self.file, points, self.rank)
        return {name: s for name, s in made.items() if s.steps}


def _series(name: str, file: str, points: Sequence[Point], rank: int | None) -> Series:
    steps, values, lines = zip(*points, strict=True) if points else ((), (), ())
    return Series(name, file, steps, values, lines, rank)


def run(look: Look) -> Iterator[Curve | Skip | Unread]:
    planned = None
    series: dict[str, dict[int | None, Points]] = {}
    for given in sorted(look.files("metrics"), key=lambda f: _order(f.name)):
        try:
            table = rows.read(look, given)
        except Unreadable as problem:
            yield Unread(given.name, Text(problem.en, problem.zh))
            continue
        if table.problem:
            words = problem_words(table.problem)
            yield Unread(given.name, words, partly=True, aside=table.growing)
        planned = planned or table.planned_steps
        known = series.setdefault(table.series or given.path, {})
        if known and _is_another_writer(table, known.values()):
            known = series.setdefault(given.path, {})
        _add(table, given.name, rank_of_file(given.path), known)
    writers = [points for known in series.values() for points in known.values()]
    if look.has(LogHits):
        writers += _of_logs(look.fact(LogHits))
    curve = combine(writers, planned)
    if curve is None:
        yield Skip(needs.METRICS)
    else:
        yield curve


def _order(name: str) -> tuple[str, str]:
    """Event files carry the second of their start in their names; others keep their order."""
    folder, _, base = name.rpartition("/")
    return (folder, base) if "tfevents" in base else ("", "")


def _add(table: rows.Table, file: str, rank: int | None, by_rank: dict[int | None, Points]) -> None:
    """The rows as points of each rank, behind those that are there; events of a start that counts
    from the beginning are of another run, whose folder was used again."""
    if table.series and _begins_anew(table, by_rank.get(rank)):
        del by_rank[rank]
    for ordinal, row in enumerate(table.rows, 1):
        of = rank if row.rank is None else row.rank
        if of not in by_rank:
            by_rank[of] = Points(file, of)
        step = ordinal if row.step is None else row.step
        by_rank[of].add(step, row.values, row.line, row.lines)


def _is_another_writer(table: rows.Table, known: Iterable[Points]) -> bool:
    """Whether a file of a series has none of the metrics that are known of it: of validation beside
    training, whose steps go back to where those began."""
    told = {name for row in table.rows for name in row.values}
    return told.isdisjoint(name for points in known for name in points.metrics)


def _begins_anew(table: rows.Table, known: Points | None) -> bool:
    """Whether the losses of a file begin where those begin that are known, or before them."""
    before = known.metrics.get("loss", []) if known is not None else []
    first = min(
        (r.step for r in table.rows if r.step is not None and "loss" in r.values), default=None
    )
    return bool(before) and first is not None and first <= before[0][0]


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
    replaced = tuple(s for w in writers if w.rank in (None, leader) for s in w.replaced)
    return Curve(next(iter(ranks.values())), ranks, planned, tuple(resumed), replaced)


PROBE = Probe(
    name="curve",
    title=Text("the curves", "训练曲线"),
    tells=(),
    run=run,
    wants=(LogHits,),
    gives=(Curve,),
    seconds=0.1,
    limit_seconds=30.0,
)
