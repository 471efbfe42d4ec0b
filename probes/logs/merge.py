"""All files of a case as one log: the last attempt, each line once, in the order of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from medic.facts import AttemptEnd, Hit, LogHits, Source, StepLine, Traceback
from medic.records import dataclass, field, replace

from . import accounting, earlier_boots, history, in_time, launches, waited
from .attempts import attempt_folder, starts
from .ending import End, overall
from .handled import by_time, handled, outlasts
from .killed import excuse_others
from .view import Order, View

MAX_STEPS = 20_000
# What a start says of its checkpoint may stand above the line by which it is known as a start.
AT_A_START = frozenset({"resume", "no-checkpoint", "state-left"})
EXITED, EXIT_ALONE = "rank-exited", "exit-alone"


@dataclass
class Merged:
    """The case's last attempt, over all files."""

    hits: list[Hit] = field(default_factory=list)
    marks: list[Hit] = field(default_factory=list)
    steps: list[StepLine] = field(default_factory=list)
    tracebacks: list[Traceback] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    progressed: list[StepLine] = field(default_factory=list)
    attempts: int = 1
    endings: tuple[AttemptEnd, ...] = ()
    earlier: list[View] = field(default_factory=list)  # of launches before the last one
    former: list[StepLine] = field(default_factory=list)  # of attempts before the last one
    left: list[in_time.Left] = field(default_factory=list)  # of the machine's logs


def merge(views: Sequence[View]) -> Merged:
    """Keeps of each file what its last attempt said; what two files say counts once."""
    merged = Merged()
    views, earlier = launches.split(views)
    accounting.settle(views)
    folders = max((attempt_folder(v.given.path) or 0 for v in views), default=0)
    counts = [folders, len(earlier)]
    seen: dict[str, set[object]] = {"hit": set(), "mark": set(), "step": set(), "traceback": set()}
    begun: dict[int, list[int]] = {}
    for view in views:
        if not view.machine:
            begins = begun[view.index] = starts(view)
            counts.append(len(begins))
            _take(merged, view, begins[-1] if begins else 0, seen)
    merged.left = in_time.settle(views, in_time.span(views, begun))
    for view in views:
        if view.machine:
            _take_hits(merged, view, 0, seen, {kind: set() for kind in seen})
    merged.attempts = max(counts) + 1
    merged.earlier = [v for launch in earlier for v in launch.views]
    merged.endings = history.endings(earlier, views, begun)
    _sort(merged, views)
    return merged


def _take(merged: Merged, view: View, first: int, seen: dict[str, set[object]]) -> None:
    fresh: dict[str, set[object]] = {kind: set() for kind in seen}
    _take_hits(merged, view, first, seen, fresh)
    for step in view.steps:
        values = (step.source.rank, step.step, tuple(step.values.items()))
        if step.source.line < first:
            merged.former.append(step)
        elif values not in seen["step"]:
            fresh["step"].add(values)
            merged.steps.append(step)
    for tb in view.tracebacks:
        shown = (tb.source.rank, tb.exception, tb.message, tb.frames[-1:])
        if tb.source.line >= first and shown not in seen["traceback"]:
            fresh["traceback"].add(shown)
            merged.tracebacks.append(tb)
    merged.ends += [e for e in view.ends if e.source.line >= first]
    merged.progressed += [s for s in view.progressed if s.source.line >= first]
    for kind, keys in fresh.items():
        seen[kind] |= keys


def _take_hits(
    merged: Merged,
    view: View,
    first: int,
    seen: dict[str, set[object]],
    fresh: dict[str, set[object]],
) -> None:
    is_over, of_before = waited.over(view), earlier_boots.of(view)
    trained = max((s.source.line for s in view.steps if s.source.line < first), default=first)
    for kind, hits, into in (
        ("hit", view.scan.hits, merged.hits),
        ("mark", view.scan.marks, merged.marks),
    ):
        for hit in hits:
            begins = trained if hit.signature in AT_A_START else first
            if hit.source.line and hit.source.line < begins:
                continue
            read = view.prefixes.read(hit.source.text)
            key = (hit.signature, read.rank, read.body.strip())
            if key in seen[kind]:
                continue
            fresh[kind].add(key)
            line = hit.source.line or hit.order[2]
            at = read.time if read.time is not None else view.time_at(line)
            source = replace(hit.source, rank=read.rank, time=at)
            why = "handled" if is_over(hit) else "earlier" if of_before(hit) else ""
            benign = hit.benign or why
            into.append(replace(hit, source=source, order=view.order(line), benign=benign))


def _sort(merged: Merged, views: Sequence[View]) -> None:
    index = {view.given.name: view for view in views}

    def order(source: Source) -> tuple[float, int, int]:
        return index[source.file].order(source.line)

    merged.hits.sort(key=lambda h: h.order)
    merged.marks.sort(key=lambda h: h.order)
    merged.tracebacks.sort(key=lambda t: t.order)
    merged.ends.sort(key=lambda e: e.order)
    merged.steps = _thin(sorted(merged.steps, key=lambda s: order(s.source)))
    _excuse(merged)


def _thin(steps: list[StepLine]) -> list[StepLine]:
    """Every n-th step of too many, and always the last ones."""
    if len(steps) <= MAX_STEPS:
        return steps
    stride = len(steps) // (MAX_STEPS // 2) + 1
    return [*steps[: -MAX_STEPS // 2 : stride], *steps[-MAX_STEPS // 2 :]]


def _excuse(merged: Merged) -> None:
    """An exception that was logged while its rank went on training ended nothing."""
    went_on = handled(merged.steps, merged.marks, merged.tracebacks, merged.progressed)
    trained_after, final = by_time(merged.steps), outlasts(merged.steps)
    merged.tracebacks = [
        replace(t, uncaught=False) if t.uncaught and went_on(t.source) else t
        for t in merged.tracebacks
    ]
    merged.hits = [
        replace(h, benign="handled")
        if not (h.benign or h.goes_on or h.role == "context" or final(h.source))
        and (went_on(h.source) if (later := trained_after(h.source)) is None else later)
        else h
        for h in merged.hits
    ]
    merged.hits = excuse_others(merged.hits)


# --- the fact -------------------------------------------------------------------------------


def log_hits(merged: Merged, views: Sequence[View], hosts: Iterable[str]) -> LogHits:
    """The LogHits fact of a merged case."""
    planned = max((v.planned or 0 for v in views), default=0) or None
    reached = [s.step for s in merged.steps] + [v.progress for v in views if v.progress]
    last_step = max(reached, default=None)
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
        earlier_steps=tuple(_thin([s for v in merged.earlier for s in v.steps])),
        resumable=history.resumable(merged.earlier),
        former_steps=tuple(_thin(merged.former)),
    )


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
    """Ends after which no rank logged a step in the same file."""
    last: dict[str, int] = {}
    for step in merged.steps:
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
        return not any(_after(e, source, order) for e in own or well)

    uncaught = any(t.uncaught and stays(t.source, t.order) for t in merged.tracebacks)
    return uncaught or any(
        (h.role == "root" or (h.role == "victim" and not through(h)))
        and not h.benign
        and not h.goes_on
        and stays(h.source, h.order)
        for h in merged.hits
    )


def _after(end: End, source: Source, order: Order) -> bool:
    """Whether an end is known to be later than a line: in one file, of one rank, or by their times."""
    same = end.source.file == source.file or (
        source.rank is not None and end.source.rank in (source.rank, None)
    )
    return end.order > order and (same or bool(end.order[0] and order[0]))
