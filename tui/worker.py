"""The other end of ``apart``: a process that holds the consultation and tells what becomes of it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from medic.i18n import use

from .desk import Desk, Opening
from .events import Event

PATIENCE = 1.5  # seconds that a job may take to end when the screen has gone
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> None:
    """Serves until the screen has gone: its end of the pipe is closed then, whatever ended it."""
    for name in (signal.SIGINT, signal.SIGTSTP):  # keys of the terminal are the screen's
        signal.signal(name, signal.SIG_IGN)
    _end_with(os.getppid())
    hear = Connection(int(sys.argv[1]), writable=False)
    tell = Connection(int(sys.argv[2]), readable=False)
    lock = threading.Lock()

    def emit(event: Event) -> None:
        with lock, suppress(OSError, ValueError):
            tell.send(event)

    desk = _opened(hear.recv(), emit)
    with suppress(EOFError, OSError):
        while True:
            _take(desk, *hear.recv())
    _leave(desk)


def _opened(first: tuple[str, Opening, Any], emit: Any) -> Desk:
    _, opening, lang = first
    use(lang)
    desk = Desk(opening, emit)
    desk.start()
    return desk


def _take(desk: Desk, what: str, *values: Any) -> None:
    if what == "do":
        job, given, path = values
        desk.put(job, *given, path=path)
    elif what == "keep":
        desk.keep(*values)
    elif what == "cancel":
        desk.cancel()
    else:
        desk.speak(*values)


def _leave(desk: Desk) -> None:
    """Without waiting for probes that hang; a change that is being written is written."""
    desk.stop()
    end = time.monotonic() + PATIENCE
    while desk.busy and time.monotonic() < end:
        time.sleep(0.01)
    os._exit(0)


def _end_with(parent: int) -> None:
    """A pattern that takes for ever holds the interpreter, and no pipe is read then: where the
    system can, it ends this process with the one that has the screen."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
