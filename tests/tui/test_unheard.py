"""What is typed before anything could hear it is on the disk, and in a session after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case, collect
from medic.config import state_dir
from medic.session import awaited, saved, unheard

GONE = 2**22 + 1  # no process has this id: it is above what Linux gives
TYPED = """
import os, signal, sys
from medic.tui import jobs
from medic.tui.apart import Apart
from medic.tui.desk import Opening
from medic.case.collect import collect
from medic.index.knowledge import load

desk = Apart(Opening(load, collect(["run1"]), resume=sys.argv[1]), print, print)
desk.start()
desk.put(jobs.begin)
desk.put(jobs.say, "the first words, 第一句")
while not any(f.endswith(".json") for f in os.listdir(os.environ["MEDIC_STATE"] + "/unheard")):
    pass
os.kill(os.getpid(), signal.SIGKILL)
"""


def typed_and_killed(folder: Path, session: str = "") -> None:
    state_dir("unheard")
    done = subprocess.run(
        [sys.executable, "-c", TYPED, session],
        cwd=folder,
        env=os.environ | {"MEDIC_STATE": str(folder / "state")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def waits(name: str) -> list[str]:
    return [one["says"] for one in awaited.kept(saved.load(name))]


def test_words_of_the_first_moment_survive_a_kill(run_folder: Path, tmp_path: Path) -> None:
    typed_and_killed(tmp_path)
    kept = saved.chosen(None)
    assert waits(kept.id) == ["the first words, 第一句"]
    assert Path(kept.folder).name == run_folder.name
    assert list(state_dir("unheard").iterdir()) == []
    assert [s.id for s in saved.listed()] == [kept.id]  # taken in once


def test_they_belong_to_the_session_that_was_going_on(
    run_folder: Path, tmp_path: Path, drive: Callable[..., None], case: Case
) -> None:
    async def nothing(_app: Any) -> None: ...

    drive(nothing, case)
    assert [s.id for s in saved.listed()] == ["s1"]
    typed_and_killed(tmp_path, "s1")
    assert [s.id for s in saved.listed()] == ["s1"]
    assert waits("s1") == ["the first words, 第一句"]


def test_what_was_taken_leaves_nothing(drive: Callable[..., None], case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("my training hangs, why?")
        assert list(state_dir("unheard").iterdir()) == []

    drive(script, case)
    assert [s.id for s in saved.listed()] == ["s1"]
    assert waits("s1") == []


@pytest.mark.parametrize(
    "change",
    [
        {"pid": os.getpid()},
        {"host": "another"},
        {"said": 3},
        {"case": {"paths": []}},
        {"session": "s9"},
    ],
)
def test_what_is_of_a_living_process_or_is_no_record_stays(
    run_folder: Path, change: dict[str, Any]
) -> None:
    file = Path(unheard.keep({"says": "words"}, collect([str(run_folder)])))
    record = json.loads(file.read_text()) | {"pid": GONE}
    file.write_text(json.dumps(record | change))
    assert saved.listed() == []
    assert file.exists()


def test_where_nothing_can_be_written_the_talk_goes_on(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDIC_STATE", "/proc/none")
    assert unheard.keep({"says": "words"}, collect([str(run_folder)])) == ""
    unheard.take_in()


def test_one_that_no_session_takes_leaves_the_others(run_folder: Path) -> None:
    case = collect([str(run_folder)])
    for n, session in enumerate(("s9", "")):
        file = Path(unheard.keep({"says": "words"}, case, session))
        record = json.loads(file.read_text()) | {"pid": GONE + n}
        file.rename(file.with_name(f"{GONE + n}-000001.json")).write_text(json.dumps(record))
    assert [waits(kept.id) for kept in saved.listed()] == [["words"]]
