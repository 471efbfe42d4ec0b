"""The consultation in a process of its own: the screen never waits for what that reads.

Compiling patterns, parsing and matching hold the interpreter for up to a second. Both ends of the
pipe are of this program, and no byte of a file of the user's is taken for an object.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from medic.i18n import Lang, Text, current

from . import jobs, words_more
from .awaited import kept_at_once
from .desk import Desk, Job, Opening
from .events import Asked, Event, Stands, Working
from .lines import said

if TYPE_CHECKING:
    from .lines import Block
    from .talk_screen import TalkScreen

# The first entry of the path of ``-c`` is the folder of the user's files: it goes before anything
# is imported.
CODE = "import sys; sys.path[:] = sys.argv[3:]; from medic.tui.worker import main; main()"
PATIENCE = 2.0  # seconds for a change of files that is just being written
MOST_DEATHS = 3


class Apart:
    """A desk in another process, with what is asked of one here."""

    def __init__(
        self, opening: Opening, emit: Callable[[Event], None], lost: Callable[[int], None]
    ) -> None:
        """Raises OSError if no process can be started, ValueError, TypeError or AttributeError if
        ``opening`` holds what cannot be sent."""
        self.opening = opening
        self.session = ""
        self.problem: Text | None = None
        self._emit, self._lost = emit, lost
        self._sent = self._ended = 0
        self._stopped = False
        self._out: SimpleQueue[Any] = SimpleQueue()
        ForkingPickler.dumps(opening)
        self._process, self._to, self._from = _spawned()
        self._send("open", opening, current())

    def start(self) -> None:
        for work in (self._listen, self._speak):
            threading.Thread(target=work, name="consultation", daemon=True).start()

    def put(self, job: Job, *values: Any) -> None:
        self._sent += 1
        self._send("do", job, values)

    def keep(self, block: Block) -> None:
        self._send("keep", block)

    def cancel(self) -> None:
        self._send("cancel")

    def speak(self, lang: Lang) -> None:
        self._send("speak", lang)

    @property
    def busy(self) -> bool:
        """True while a job runs or waits."""
        return self._sent > self._ended

    def stop(self) -> None:
        """The process ends; a change of files that is just being written is written first."""
        self._stopped = True
        self._send()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, *what: Any) -> None:
        """Nothing: the end. A long paste may fill the pipe, so that another thread writes."""
        self._out.put(what)

    def _speak(self) -> None:
        """To a process that has died nothing is sent: whoever listens tells of it."""
        with suppress(OSError):
            while what := self._out.get():
                if what[0] == "do":  # on the disk before it is heard: this process may be killed
                    _, job, values = what
                    path = kept_at_once(job, values, self.opening, self.session)
                    what = ("do", job, values, path)
                self._to.send(what)
        self._to.close()

    def _listen(self) -> None:
        """Tells what the other process tells, until it ends."""
        try:
            while True:
                event = self._from.recv()
                if isinstance(event, Stands):
                    self._ended += 1
                    self.session = event.session or self.session
                    self.problem = event.problem
                self._emit(event)
        except (EOFError, OSError):
            pass
        code = self._process.wait()
        if not self._stopped:
            self._lost(code)


def _spawned() -> tuple[subprocess.Popen[bytes], Connection[Any, Any], Connection[Any, Any]]:
    """A process that listens, and the ends of the pipes to and from it."""
    take, give = os.pipe()
    hear, tell = os.pipe()
    ends = (str(take), str(tell))
    flags = ["-I"] if sys.flags.isolated else []
    try:
        process = subprocess.Popen(
            [sys.executable, *flags, "-c", CODE, *ends, *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(take, tell),
        )
    except OSError:
        for end in (give, hear):
            os.close(end)
        raise
    finally:
        for end in (take, tell):
            os.close(end)
    return process, Connection(give, readable=False), Connection(hear, writable=False)


def lost(screen: TalkScreen, code: int) -> None:
    """The process died: another goes on from what was kept. Called on the listening thread."""
    screen.app.call_from_thread(_go_on, screen, code)


def _go_on(screen: TalkScreen, code: int) -> None:
    before = screen.desk
    screen.deaths += 1
    screen.happened_now(Working(None))
    screen.happened_now(Asked(None))
    why = words_more.BY_SIGNAL.fill(n=-code) if code < 0 else words_more.WITH_CODE.fill(n=code)
    session = before.session if isinstance(before, Apart) else ""
    opening = Opening(before.opening.load, before.opening.case, resume=session)
    screen.transcript.add(said(words_more.PROCESS_DIED.fill(why=why), "warn"))
    if screen.deaths >= MOST_DEATHS:
        screen.desk = Desk(opening, screen.emit)
    else:
        screen.desk = Apart(opening, screen.emit, partial(lost, screen))
    screen.desk.start()
    if screen.deaths > 1:
        screen.transcript.add(said(words_more.DIED_AGAIN, "muted"))
        screen.work(jobs.wake)
    else:
        screen.work(jobs.begin)
