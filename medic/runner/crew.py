"""Threads that run probes, each within its limit."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from medic.probe import Probe
from medic.runner.evidence import Run

WORKERS = 4
PATIENCE = 0.05  # seconds
LATE = "time limit"
Work = Callable[[Probe], Run]


class _Task:
    """A probe that is to be run, or is being run since ``begun``."""

    def __init__(self, work: Work, probe: Probe) -> None:
        self.work = work
        self.probe = probe
        self.begun: float | None = None


class Crew:
    """Threads that run probes: one, and another whenever those at work are long at it.

    A probe's limit counts from its own start; one that outlasts it is told and left behind: its
    daemon thread ends with the process, which those of ``concurrent.futures`` would hold up at its
    end. The threads wait for further cases until the crew is
    dismissed, at the end of its ``with``.
    """

    def __init__(self) -> None:
        self._todo: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._ended: deque[tuple[_Task, Run]] = deque()
        # Rung when nothing is left to begin: to wake who waits for each probe costs more than many
        # of them take.
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._threads = self._lost = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for _thread in range(self._threads):
            self._todo.put(None)

    def _serve(self) -> None:
        while (task := self._todo.get()) is not None:
            task.begun = time.monotonic()
            self._ended.append((task, task.work(task.probe)))
            if self._todo.empty():
                self._bell.put(None)

    def _hire(self) -> None:
        if self._threads - self._lost < WORKERS:
            self._threads += 1
            threading.Thread(target=self._serve, daemon=True).start()

    def runs(
        self, work: Work, probes: Sequence[Probe], cancelled: Callable[[], bool]
    ) -> Iterator[Run]:
        """The run of each probe once it ended, or outlasts its limit."""
        pending = dict.fromkeys(_Task(work, probe) for probe in probes)
        for task in pending:
            self._todo.put(task)
        if pending and self._threads == self._lost:
            self._hire()
        while pending and not cancelled():
            try:
                self._bell.get(timeout=PATIENCE)
            except queue.Empty:
                if not self._todo.empty():
                    self._hire()
            while self._ended:
                task, run = self._ended.popleft()
                if task in pending:  # else it was told as late
                    del pending[task]
                    yield run
            for task in _late(pending):
                del pending[task]
                self._lost += 1
                self._hire()
                yield Run(task.probe, "failed", error=LATE)


def _late(tasks: Iterable[_Task]) -> list[_Task]:
    now = time.monotonic()
    return [t for t in tasks if t.begun is not None and now - t.begun > t.probe.limit_seconds]
