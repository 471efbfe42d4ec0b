"""One background thread that does the work of the consultation in order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

Job = Callable[[], None]


class Desk:
    """Runs jobs one after another; a job that fails is told and the next one runs.

    The thread is a daemon: leaving the app never waits for a probe that hangs.
    """

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._waiting = 0
        self._stopped = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="consultation", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread after the job that runs now; what still waits is dropped."""
        self._stopped = True
        self._jobs.put(lambda: None)

    def put(self, job: Job) -> None:
        with self._lock:
            self._waiting += 1
        self._jobs.put(job)

    @property
    def busy(self) -> bool:
        """True while a job runs or waits."""
        return self._waiting > 0

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if self._stopped:
                return
            try:
                job()
            except Exception as problem:  # noqa: BLE001 - told to the user; the talk goes on
                self._failed(problem)
            finally:
                with self._lock:
                    self._waiting -= 1
