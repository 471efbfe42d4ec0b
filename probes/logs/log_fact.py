"""What the logs of a case say as a whole: the LogHits fact of the merged files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from medic.facts import Hit, LogHits, Source
from medic.records import replace

from . import history
from .ending import End, asked_to_leave, overall
from .evidence import is_pasted
from .merge import Merged, thin
from .view import Order, View

_HELD = frozenset(("eval_loss", "held_score"))  # what an evaluation measures
EXITED, EXIT_ALONE, TIMEOUT = "rank-exited", "exit-alone", "collective-timeout"


def log_hits(merged: Merged, views: Sequence[View], hosts: Iterable[str]) -> LogHits:
    """The LogHits fact of a merged case."""
    planned, last_step = _reached(merged, views)
    ended, end = overall(
        _final(merged),
        failed=_failed(merged, planned),
        last_step=last_step,
        planned=planned,
        lines=sum(v.last_line for v in views),
    )
    views = [v for v in views if not v.machine] or views
    times = [t for v in views for _, t in v.clock]
    names = {h for h in hosts if h not in ("localhost", "127.0.0.1")}
    ranks = {r for v in views for r in v.ranks} | {
        v.prefixes.rank for v in views if v.prefixes.rank is not None
    }
    shown = max(views, key=lambda v: (v.order(v.last_line), v.last_line), default=None)
    return LogHits(
        hits=tuple(_without_lone_exits(merged.hits)),
        steps=tuple(merged.steps),
        ended=ended,
        end=end,
        planned_steps=planned,
        last_step=last_step,
        first_time=min(times, default=None),
        last_time=max(times, default=None),
        ranks=tuple(sorted(ranks)),
        host=min(names, default=""),
        tail=tuple(shown.tail) if shown else (),
        exceptions=tuple(t.source for t in merged.tracebacks),
        attempts=merged.attempts,
        notes=tuple(f"{v.given.name}: {note.en}" for v in views for note in v.scan.notes),
        last_words=_last_words(views),
        marks=tuple(merged.marks),
        earlier_steps=tuple(thin([s for v in merged.earlier for s in v.steps])),
        resumable=history.resumable(merged.earlier, views),
        former_steps=tuple(thin(merged.former)),
    )


def _reached(merged: Merged, views: Sequence[View]) -> tuple[int | None, int | None]:
    """The steps that are planned, and the last one that is told. Those of a paste are of another
    log than those of the files beside it: no step of one is one of so many of the other."""
    files = [v for v in views if not is_pasted(v.given.name)]
    if any(v.steps or v.progress for v in files):
        views = files
    names = {v.given.name for v in views}
    planned = max((v.planned or 0 for v in views), default=0) or None
    reached = [s.step for s in merged.steps if s.source.file in names]
    return planned, max([*reached, *(v.progress for v in views if v.progress)], default=None)


def _last_words(views: Sequence[View]) -> tuple[Source, ...]:
    """The last line of each rank, over all files that it wrote."""
    last: dict[int, tuple[tuple[float, int, int], Source]] = {}
    for view in views:
        for rank, source in view.last_of.items():
            row = (view.order(source.line), source)
            last[rank] = max(last.get(rank, row), row, key=lambda r: r[0])
    return tuple(source for _, (_, source) in sorted(last.items()))


def _without_lone_exits(hits: Sequence[Hit]) -> list[Hit]:
    """That a rank exited is no symptom of its own: nearly every cause ends so.

    Where nothing else is told, it says how the run ended, and no more.
    """
    alone = not any(
        h.symptom != EXITED and h.role in ("root", "either", "victim") and not h.benign
        for h in hits
    )
    if not alone:
        return list(hits)
    return [
        replace(h, benign=EXIT_ALONE) if h.symptom == EXITED and not h.benign else h for h in hits
    ]


def _final(merged: Merged) -> list[End]:
    """Ends after which no rank logged a step in the same file: evaluating what was trained is none."""
    last: dict[str, int] = {}
    for step in merged.steps:
        if step.values and step.values.keys() <= _HELD:
            continue
        last[step.source.file] = max(step.source.line, last.get(step.source.file, 0))
    ends = [e for e in merged.ends if e.source.line >= last.get(e.source.file, 0)]
    well = [e for e in ends if e.how == "well"]
    # A child's exit code that was logged before all was done belongs to something else.
    return [
        e for e in ends if e.how != "badly" or not any(_after(w, e.source, e.order) for w in well)
    ]


def _through(merged: Merged, planned: int | None) -> Callable[[Hit], bool]:
    """Whether the training was through before a line: a good end, or the last planned step."""
    end = min((e.order for e in _final(merged) if e.how == "well"), default=None)
    last: dict[str, int] = {}  # the first line with the last planned step, by file
    for step in merged.steps:
        if planned is not None and step.step >= planned:
            source = step.source
            last[source.file] = min(source.line, last.get(source.file, source.line))

    def before(hit: Hit) -> bool:
        reached = last.get(hit.source.file)
        return (end is not None and end < hit.order) or (
            reached is not None and reached < hit.source.line
        )

    return before


def _failed(merged: Merged, planned: int | None) -> bool:
    """Whether a failure was seen after which its rank said nothing good.

    Who only sees others leave after the training is through has not failed.
    """
    through = _through(merged, planned)
    well = [e for e in merged.ends if e.how == "well"]

    def stays(source: Source, order: Order) -> bool:
        own = [e for e in well if e.source.rank == source.rank] if source.rank is not None else []
        if asked_to_leave(source, well):
            return False
        return not any(_after(e, source, order) for e in own or well)

    uncaught = any(t.uncaught and stays(t.source, t.order) for t in merged.tracebacks)
    return uncaught or any(
        (h.role == "root" or _waits(h) or (h.role == "victim" and not through(h)))
        and not h.benign
        and not h.goes_on
        and stays(h.source, h.order)
        for h in merged.hits
    )


def _waits(hit: Hit) -> bool:
    """Whether a rank waited in a collective until that timed out: it is not through, whoever is."""
    return hit.symptom == TIMEOUT and hit.source.rank is not None and hit.role != "context"


def _after(end: End, source: Source, order: Order) -> bool:
    """Whether an end is known to be later than a line: in one file, of one rank, or by their times."""
    same = end.source.file == source.file or (
        source.rank is not None and end.source.rank in (source.rank, None)
    )
    return end.order > order and (same or bool(end.order[0] and order[0]))
