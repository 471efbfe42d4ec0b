"""All files of a case as one log: the last attempt, each line once, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import AttemptEnd, Hit, Source, StepLine, Traceback
from medic.records import dataclass, field, replace

from . import accounting, earlier_boots, garbled, history, in_time, launches, restarted, waited
from .attempts import attempt_folder, starts
from .ending import End
from .handled import by_time, handled, outlasts
from .killed import excuse_others
from .view import View

MAX_STEPS = 20_000
# What a start says of its checkpoint may stand above the line by which it is known as a start.
AT_A_START = frozenset({"resume", "no-checkpoint", "state-left"})


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
    folders = max((attempt_folder(v.given.path) or 0 for v in views), default=0)
    views, earlier = launches.split(views)
    accounting.settle(views)
    counts = [folders, len(earlier)]
    seen: dict[str, set[object]] = {"hit": set(), "mark": set(), "step": set(), "traceback": set()}
    begun: dict[int, list[int]] = {}
    for view in views:
        if not view.machine:
            begins = begun[view.index] = starts(view)
            counts.append(len(begins))
            _take(merged, view, begins[-1] if begins else 0, seen)
    merged.hits = restarted.not_of(merged.hits, views, folders)
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
            at = read.time if read.time is not None else view.known_at(line)
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
    merged.steps = thin(sorted(merged.steps, key=lambda s: order(s.source)))
    _excuse(merged)


def thin(steps: list[StepLine]) -> list[StepLine]:
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
    merged.hits = garbled.excused(excuse_others(merged.hits), merged.tracebacks)
