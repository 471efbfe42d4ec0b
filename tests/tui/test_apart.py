"""The consultation in a process of its own: it does the work, dies alone, and leaves nobody behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from medic.tui.apart import Apart

from medic.case.collect import Case
from medic.index.knowledge import Index


@pytest.fixture
def apart(drive: Callable[..., None]) -> Callable[..., None]:
    """Runs a script against the app whose work is done elsewhere: its knowledge can be sent."""
    raw = sys.modules[drive.__module__].SMALL.RAW
    return partial(drive, load=partial(Index, raw), apart=True)


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return not Path(f"/proc/{pid}/stat").read_text().split(") ")[1].startswith("Z")
    return False


def test_the_work_is_done_elsewhere_and_a_death_loses_nothing(
    apart: Callable[..., None], case: Case
) -> None:
    pids = []

    async def script(app: Any) -> None:
        desk = app.app.talk.desk
        assert isinstance(desk, Apart)
        assert "f3 the reason" in app.talk()
        assert app.app.talk.has >= {"looked", "found", "files"}
        await app.send("2")
        pids.append(desk._process.pid)
        os.kill(desk._process.pid, signal.SIGKILL)
        await app.until(lambda: app.app.talk.desk is not desk)
        await app.settle()
        assert "The process that reads the files ended (signal 9)" in app.said
        pids.append(app.app.talk.desk._process.pid)
        await app.send("/change")
        assert "What you have said so far" in app.talk().split("signal 9")[1]

    apart(script, case)
    assert len(set(pids)) == 2
    assert not any(alive(pid) for pid in pids)


def test_what_cannot_be_sent_is_worked_on_here(drive: Callable[..., None], case: Case) -> None:
    async def script(app: Any) -> None:
        assert "No process of its own" in app.talk()
        assert "Likely, not established" in app.talk()

    drive(script, case, apart=True)  # its knowledge is loaded by a function without a name


ORPHAN = """
import sys, time
from medic.case.collect import Case
from medic.index.knowledge import load
from medic.tui.apart import Apart
from medic.tui.desk import Opening
one = Apart(Opening(load, Case(root=".")), print, print)
sys.stdout.write(str(one._process.pid) + chr(10))
sys.stdout.flush()
time.sleep(60)
"""


def test_it_ends_with_the_screen_whatever_ends_that(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as screen:
        assert screen.stdout is not None
        pid = int(screen.stdout.readline())
        assert alive(pid)
        screen.kill()
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(pid)


def test_no_module_of_the_users_folder_is_imported(tmp_path: Path) -> None:
    (tmp_path / "ctypes.py").write_text("open('run', 'w')")
    (tmp_path / "queue.py").write_text("open('run', 'w')")
    words = ORPHAN.replace("import sys, time", "import sys; sys.path.pop(0); import time")
    words = words.replace("time.sleep(60)", "one.stop()")
    subprocess.run([sys.executable, "-c", words], check=True, cwd=tmp_path, capture_output=True)
    assert not (tmp_path / "run").exists()
