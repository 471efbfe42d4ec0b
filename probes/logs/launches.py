"""Files of earlier launches beside those of the last one.

Each launch leaves a file (slurm-1001.out, slurm-1002.out) or a folder (torchrun's RUN_ID and, of a
restart by its agent, attempt_N) of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from medic.facts import Source
from medic.records import dataclass, field
from medic.text.patterns import regex

from . import job_numbers, machine
from .attempts import attempt_folder
from .evidence import is_pasted, is_pasted_later
from .nodes import place
from .restarted import last_that_met
from .same_run import goes_on_from
from .view import View

# Workers of one launch begin within this many seconds, however early one of them fell silent.
TOGETHER_SECONDS = 60.0
_DIGITS = regex(r"\d+")


@dataclass
class Launch:
    """Files that one launch wrote; times in seconds since 1970, None where they are unknown."""

    attempt: int = 0
    views: list[View] = field(default_factory=list)

    @property
    def began(self) -> float | None:
        return min((t for v in self.views for _, t in v.clock), default=None)

    @property
    def last(self) -> float | None:
        return max((t for v in self.views for _, t in v.clock), default=None)

    @property
    def written(self) -> float:
        return max((v.given.modified for v in self.views), default=0.0)

    @property
    def undated(self) -> bool:
        """Whether it was pasted and tells no time: nothing says that it was earlier."""
        return self.last is None and all(is_pasted(v.given.name) for v in self.views)

    @property
    def has_steps(self) -> bool:
        return any(v.steps for v in self.views)

    @property
    def failed(self) -> bool:
        return any(failure(v) is not None or _bad_end(v) for v in self.views)


def failure(view: View) -> tuple[Source, str] | None:
    """Where a file's first failure stands, and what it is in short; None if it tells of none."""
    found = [(t.source, t.exception.rpartition(".")[2]) for t in view.tracebacks if t.uncaught] + [
        (h.source, h.source.text.strip())
        for h in view.scan.hits
        if h.role == "root" and not h.benign and not h.goes_on
    ]
    return min(found, key=lambda one: one[0].line, default=None)


def _bad_end(view: View) -> bool:
    """Whether the last line says that the job was ended, and when."""
    end = view.ends[-1] if view.ends else None
    at_end = end is not None and end.source.line == view.last_line == view.timed
    return end is not None and at_end and end.how == "badly"


def split(views: Sequence[View]) -> tuple[list[View], list[Launch]]:
    """(files of the last launch and those of no launch in particular, earlier launches in order)."""
    kept: list[View] = []
    earlier: list[Launch] = []
    last: list[Launch] = []
    by_shape: dict[str, dict[tuple[str, int], Launch]] = {}
    for view in views:
        if view.machine:
            kept.append(view)
            continue
        shape, key = _key(view)
        launch = by_shape.setdefault(shape, {}).setdefault(key, Launch(key[1]))
        launch.views.append(view)
    for launches in by_shape.values():
        over = _over(list(launches.values()))
        earlier += over
        last += [g for g in launches.values() if all(g is not o for o in over)]
    before = _failed_before(last)
    before += job_numbers.over([g for g in last if all(g is not b for b in before)])
    left = [g for g in last if all(g is not b for b in before)]
    before += (gone_on := _gone_on_from(left))
    left = [g for g in left if all(g is not b for b in gone_on)]
    before += [
        g for launches in by_shape.values() for g in _beside_a_finished([*launches.values()], left)
    ]
    earlier += before
    kept += [v for g in last if all(g is not b for b in before) for v in g.views]
    order = {id(view): number for number, view in enumerate(views)}
    kept.sort(key=lambda v: order[id(v)])
    return kept, sorted(earlier, key=lambda g: (g.began or 0.0, g.attempt))


def _key(view: View) -> tuple[str, tuple[str, int]]:
    """(what all launches of this kind have in common, which launch)."""
    path = view.given.path.replace("\\", "/")
    at = place(path)
    if at is not None:
        parent = PurePath(at[0]).parent
        return f"torchrun {_DIGITS.sub('#', str(parent))}", (at[0], attempt_folder(path) or 0)
    if is_pasted_later(path):  # more of the same log, as likely as another
        return path, (path, 0)
    return _DIGITS.sub("#", path), (path, 0)


def _over(launches: list[Launch]) -> list[Launch]:
    """Those that were over before the newest one began, and restarts in which no worker did."""
    last = last_that_met([(g.attempt, g.views) for g in launches])
    before = [g for g in launches if g.attempt != last]
    rest = [g for g in launches if g.attempt == last]
    newest = max(rest, key=lambda g: g.began or 0.0)
    if newest.began is None:
        return before
    began, steps = newest.began, newest.has_steps
    return [*before, *(g for g in rest if g is not newest and _ended(g, began, steps))]


def _failed_before(launches: Sequence[Launch]) -> list[Launch]:
    """Those, whatever their files are called, that had failed before the one began that trained
    last, or days before the last one that failed."""
    begun = [(g.began, g.has_steps) for g in launches if g.began is not None]
    trained = max((time for time, steps in begun if steps), default=0.0) - TOGETHER_SECONDS
    failing = [g for g in launches if g.failed and not g.undated]
    last = max((g.began or 0.0 for g in failing), default=0.0)
    last = max(last, trained) - machine.ZONES_SECONDS
    return [g for g in failing if _over_by(g) < trained or _failed_at(g) < last]


def _gone_on_from(launches: Sequence[Launch]) -> list[Launch]:
    """Those that failed and from whose checkpoint another began, where no times tell the order."""
    return [
        g
        for g in launches
        if g.failed
        and any(
            (g.last is None or one.began is None)
            and any(goes_on_from(a, b) for a in g.views for b in one.views)
            for one in launches
            if one is not g
        )
    ]


def _beside_a_finished(launches: Sequence[Launch], left: Sequence[Launch]) -> list[Launch]:
    """Failed tries whose logs differ by a number from that of one that trained and ended well
    (attempt1.log, attempt2.log), where neither time nor number says that they came after it."""
    own = [g for g in launches if any(g is one for one in left) and not _is_a_part(g)]
    done = [g for g in own if g.has_steps and not g.failed and all(map(_ended_well, g.views))]
    return [g for g in own if g.failed and any(_tried_before(g, one) for one in done)]


def _tried_before(failed: Launch, done: Launch) -> bool:
    paths = (PurePath(one.views[0].given.path).parts for one in (failed, done))
    if any(a != b and job_numbers.is_no_try(a) for a, b in zip(*paths, strict=False)):
        return False  # folders of nodes or ranks
    if failed.last is not None and done.began is not None:
        return False  # their lines tell times: judged by those
    if abs(failed.written - done.written) > TOGETHER_SECONDS:
        return failed.written < done.written
    return job_numbers.comes_first(failed.views[0].given.path, done.views[0].given.path)


def _is_a_part(launch: Launch) -> bool:
    """Whether its files are, by their names, of one rank, node or process of a launch."""
    names = [PurePath(v.given.path).name for v in launch.views]
    parts = any(v.prefixes.rank is not None or v.is_task for v in launch.views)
    return parts or any(job_numbers.is_no_try(name) for name in names)


def _ended_well(view: View) -> bool:
    return bool(view.ends) and view.ends[-1].how == "well"


def _failed_at(launch: Launch) -> float:
    """When a launch failed, where the failing lines themselves tell it; else when it was over."""
    told = [v.clock[-1][1] for v in launch.views if v.clock and v.timed >= _failing_line(v)]
    return max(told) if len(told) == len(launch.views) else _over_by(launch)


def _failing_line(view: View) -> int:
    failed = failure(view)
    return view.last_line if failed is None else failed[0].line


def _over_by(launch: Launch) -> float:
    """When a launch that failed was over at the latest. Tracebacks tell no time: unless a line
    behind it does, it is that of the file, which a copy may have made later."""
    times = [_told_after(v) for v in launch.views]
    if all(t is not None for t in times):
        return max(t for t in times if t is not None)
    return max(launch.last or 0.0, launch.written)


def _told_after(view: View) -> float | None:
    """The last time that a file tells, if it does so behind its failure."""
    failed = failure(view)
    line, last = view.clock[-1] if view.clock else (0, None)
    return last if failed is None or line > failed[0].line else None


def _ended(launch: Launch, began: float, with_steps: bool) -> bool:
    if launch.last is None:
        return 0.0 < launch.written < began - TOGETHER_SECONDS
    if launch.has_steps and with_steps:
        return launch.last < began
    if all(_bad_end(v) for v in launch.views):
        return launch.last < began - TOGETHER_SECONDS  # whenever the file was copied
    return max(launch.last, launch.written) < began - TOGETHER_SECONDS
