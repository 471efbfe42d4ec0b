"""One log file, read once: everything that later questions are answered from."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from itertools import chain, islice

from medic.facts import GivenFile, Hit, Source, StepLine, Traceback
from medic.probe import Look, Scan
from medic.records import dataclass, field, replace
from medic.text.patterns import regex

from . import clock, machine, windows
from .collectives import Watchdogs
from .ending import End, how
from .launcher import Failures
from .prefix import Prefixed, Prefixes, label_of, message, rank_of_file
from .printed_labels import masked
from .progress import Progress, may_tell
from .shown_text import ShownTexts
from .slurm_records import Records
from .state_dict import StateDicts
from .step_rows import StepRows
from .tracebacks import Joiner, settle
from .trained_text import trained_text
from .years import Years

HEAD = 200  # lines by which a launcher's label is known
TEXT = 2000  # characters of a line that a source keeps
LAST = 400  # lines at the end that may say how the run ended
# Lines from the end among which an exception without a header counts; what a launcher reports
# of a failure comes after it.
AT_END, REPORT = 10, 60
FAR = 3600.0  # seconds between two times, of which a line between them may be any
NEAR_EACH = 20  # of each kind of mark, from either end
_EVIDENCE = ("root", "either", "victim")
_HOST = regex(r"^([A-Za-z][\w.-]{1,60}):\d+:\d+ \[\d+\] NCCL |^\s*host\s+: (\S+)")

Order = tuple[float, int, int]


@dataclass
class View:
    """What one file said. ``clock`` holds (line, time) where the time of a rank's lines changed."""

    given: GivenFile
    index: int
    scan: Scan
    steps: list[StepLine] = field(default_factory=list)
    progressed: list[StepLine] = field(default_factory=list)  # work done, without a metric
    tracebacks: list[Traceback] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    clock: list[tuple[int, float]] = field(default_factory=list)
    launches: list[int] = field(default_factory=list)
    overs: list[int] = field(default_factory=list)  # lines behind which a training is over
    ranks: set[int] = field(default_factory=set)
    tail: list[Source] = field(default_factory=list)
    last_of: dict[int, Source] = field(default_factory=dict)  # by rank
    planned: int | None = None
    progress: int = 0  # where the last training bar stands
    machine: bool = False  # the kernel's or the system's log, not the run's
    host: str = ""
    last_line: int = 0
    timed: int = 0  # the last line that tells its own time
    boots: list[float] = field(default_factory=list)  # when the machine or its driver started
    prefixes: Prefixes = field(default_factory=Prefixes)
    jobs: Records = field(default_factory=Records)
    is_task: bool = False  # of a job array: the number in its name is no rank

    def time_at(self, line: int) -> float | None:
        """The last time told at or above a line; the first one for lines above it."""
        return self.clock[max(self._below(line) - 1, 0)][1] if self.clock else None

    def known_at(self, line: int) -> float | None:
        """The same of a line that tells no time itself; None where the times above and below it are
        so far apart that it may be of either."""
        below = self._below(line)
        if 0 < below < len(self.clock) and self.clock[below][1] - self.clock[below - 1][1] > FAR:
            return None
        return self.time_at(line)

    def _below(self, line: int) -> int:
        """Which of the times is the first that stands below a line."""
        return bisect_right(self.clock, line, key=lambda one: one[0])

    def order(self, line: int) -> Order:
        """Sorts lines by time across files; without a time, by file and line."""
        return (self.time_at(line) or 0.0, self.index, line)


class Reader:
    """Reads one file into a View; watchdogs, state dicts and failures are shared by all files."""

    def __init__(
        self,
        view: View,
        watchdogs: Watchdogs,
        state_dicts: StateDicts,
        failures: Failures,
        years: Years | None = None,
    ) -> None:
        self.view, self._years = view, years
        self._watchdogs, self._state_dicts, self._failures = watchdogs, state_dicts, failures
        self._joiner = Joiner()
        self._rows = StepRows()
        self._last: deque[tuple[int, Prefixed]] = deque(maxlen=LAST)
        self._last_of: dict[int, tuple[int, Prefixed]] = {}
        self._time: float | None = None
        self._progress = Progress()
        self._found: list[Traceback] = []
        self._shown = ShownTexts()

    def read(self, look: Look) -> View:
        """Raises Unreadable."""
        return self.read_rows(
            windows.read(look, self.view.given, _near(self.view.scan), self.view.scan.starts)
        )

    def read_rows(self, numbered: Iterable[windows.Numbered | None]) -> View:
        """Lines that come from elsewhere than the file's own lines."""
        view, rows = self.view, iter(numbered)
        head = list(islice(rows, HEAD))
        lines = [row[1] for row in head if row]
        label = label_of(lines)
        printed = (*masked(view, head), *trained_text(view, head))
        view.scan = replace(view.scan, hits=(*view.scan.hits, *printed))
        view.machine = machine.is_machines(view.given, lines)
        rank = None if view.is_task else rank_of_file(view.given.path)
        told = self._years
        of_file = (
            told.clock(view.given, lines) if told else clock.of_file(lines, view.given.modified)
        )
        view.prefixes = Prefixes(rank, of_file, label)
        for row in chain(head, rows):
            for held in self._shown.flush() if row is None else self._shown.feed(row):
                self._line(*held)
            if row is None:
                self._gap()
        for held in self._shown.flush():
            self._line(*held)
        if self._shown.spans:
            self._leave_out()
        self._finish()
        return view

    def _leave_out(self) -> None:
        """What a model wrote is no evidence, whatever it says."""
        scan, shown = self.view.scan, self._shown
        hits = tuple(h for h in scan.hits if not shown.has(h.source.line))
        marks = tuple(m for m in scan.marks if not shown.has(m.source.line))
        self.view.scan = replace(scan, hits=hits, marks=marks)

    def set_time(self, seconds: float) -> None:
        """When the lines were written, where they do not tell it themselves."""
        self._time = seconds
        self.view.clock.append((0, seconds))

    def _gap(self) -> None:
        self._joiner.gap()
        self._watchdogs.gap()

    def _line(self, number: int, text: str) -> None:
        read = self.view.prefixes.read(text)
        view = self.view
        view.jobs.feed(text, lambda: self._source(number, read))
        if read.time is not None and read.time != self._time:
            self._time = read.time
            view.clock.append((number, read.time))
        if read.time is not None:
            view.timed = number
            if machine.is_start(text):
                view.boots.append(read.time)
        rank = read.rank
        if rank is not None:
            view.ranks.add(rank)
        if not read.body.strip():
            # A blank line ends nothing but a stack trace.
            self._watchdogs.blank(read.stream)
            return
        self._last.append((number, read))
        if rank is not None:
            self._last_of[rank] = (number, read)
        view.last_line = number
        self._several(number, read)
        words = message(read.body)
        is_row = self._rows.feed(words, rank, lambda: self._source(number, read))
        if not is_row and may_tell(words):
            self._progress.read(words, self._source(number, read))

    def _several(self, number: int, read: Prefixed) -> None:
        """Things that go over several lines."""

        def at() -> Source:
            return self._source(number, read)

        stream = read.stream or str(read.rank)
        traceback = self._joiner.feed(read.body, stream, at)
        if traceback is not None:
            self._found.append(traceback)
        self._watchdogs.feed(read.body, read.rank, stream, at)
        self._state_dicts.feed(read.body, at)
        self._failures.feed(read.body, at)
        if not self.view.host and (found := _HOST.match(read.body)):
            self.view.host = found.group(1) or found.group(2)

    def _source(self, number: int, read: Prefixed) -> Source:
        time_now = read.time if read.time is not None else self._time
        return Source(self.view.given.name, number, read.rank, time_now, read.body[:TEXT])

    def _timed(self, source: Source) -> Source:
        """The source with no time where it tells none and that above it says little."""
        known = self.view.known_at(source.line) or self.view.prefixes.clock.read(source.text)
        return source if known is not None else replace(source, time=None)

    def _finish(self) -> None:
        view = self.view
        view.steps, view.overs = self._rows.settle(), self._rows.overs
        for number, read in self._last:
            ended = how(message(read.body))
            if ended is not None:
                view.ends.append(End(ended, self._source(number, read), view.order(number)))
        settled = settle([t for t in self._found if self._counts(t)], self._joiner.handled)
        view.tracebacks = [
            replace(t, order=view.order(t.source.line), source=self._timed(t.source))
            for t in settled
        ]
        view.launches = [m.source.line for m in view.scan.marks if m.signature == "launch"]
        view.planned, view.progress = self._rows.planned, self._rows.bar
        view.progressed = self._progress.found
        view.last_of = {rank: self._source(*row) for rank, row in self._last_of.items()}
        view.tail = [self._source(n, r) for n, r in list(self._last)[-20:]]

    def _counts(self, traceback: Traceback) -> bool:
        """Whether an exception is no logged remark: it has its header, or stands at the end."""
        line = traceback.source.line
        if line not in self._joiner.headless:
            return True
        if self.view.steps and self.view.steps[-1].source.line > line:
            return False
        if any(h.source.line == line and h.role in _EVIDENCE for h in self.view.scan.hits):
            return False  # a signature tells more of it, or why it is none
        reported = any(e.how == "badly" and e.source.line >= line for e in self.view.ends)
        last = list(self._last)[-(REPORT if reported else AT_END) :]
        return bool(last) and line >= last[0][0]


def _near(scan: Scan) -> list[int]:
    """Lines to read around: the first and last hits and marks of each kind."""
    by_kind: dict[str, list[Hit]] = {}
    for hit in (*scan.hits, *scan.marks):
        if hit.role != "advice":
            by_kind.setdefault(hit.signature, []).append(hit)
    lines: list[int] = []
    for kind, hits in by_kind.items():
        wanted = hits if kind == "watchdog" else [*hits[:NEAR_EACH], *hits[-NEAR_EACH:]]
        lines += [h.source.line for h in wanted]
    return lines
