"""What is said while medic reads is kept at once; two terminals never write one session."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from medic.tui.diary import Diary
from medic.tui.keeping import write
from medic.tui.lines import said

import medic.runner.registry
from medic.case.collect import Case
from medic.errors import KnowledgeError, UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.probe import Probe
from medic.session import awaited, saved
from medic.session.consultation import Session

Drive = Callable[..., None]
KILLED = """
import asyncio, importlib.util, os, signal, sys, time
spec = importlib.util.spec_from_file_location("tui_conftest", sys.argv[1])
conftest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conftest)
import medic.runner.registry
from medic.case.collect import collect
from medic.i18n import use
from medic.probe import Probe

def reads(look):
    time.sleep(60)
    yield

medic.runner.registry.all_probes = lambda: (Probe("numbers", ("oom-shortfall",), reads),)
use("en")

async def go():
    app = conftest.MedicApp(lambda: conftest.Index(conftest.SMALL.RAW), collect(["run1"]))
    async with app.run_test(size=(80, 24)) as pilot:
        driver = conftest.Driver(app, pilot)
        await driver.until(lambda: app.talk.consultation.looks == 1)
        driver.prompt.text = "my training hangs, why?"
        await pilot.press("enter")
        await driver.until(lambda: app.talk.desk._waiting > 1)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(go())
"""


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, drive: Drive) -> Iterator[threading.Event]:
    """A probe that reads until it is let go."""
    open_now = threading.Event()

    def reads(_look: Any) -> Iterator[Any]:
        open_now.wait(30)
        yield from ()

    probes = (
        *sys.modules[drive.__module__].SMALL.PROBES,
        Probe("numbers", ("oom-shortfall",), reads),
    )
    monkeypatch.setattr(medic.runner.registry, "all_probes", lambda: probes)
    yield open_now
    open_now.set()


@pytest.mark.parametrize("quits", [True, False])
def test_what_is_said_while_the_files_are_read_is_taken_when_the_session_goes_on(
    drive: Drive, case: Case, gate: threading.Event, quits: bool
) -> None:
    async def leaves(app: Any) -> None:
        await app.until(lambda: app.app.talk.consultation.looks == 1)
        app.prompt.text = "my training hangs, why?"
        await app.pilot.press("enter")
        await app.until(lambda: app.app.talk.desk._waiting > 1)
        if not quits:
            gate.set()
            await app.settle()
            assert app.app.talk.consultation.session.complaints == ["training-hangs"]

    async def again(app: Any) -> None:
        assert app.app.talk.consultation.session.complaints == ["training-hangs"]
        before = "Said before it was left, and taken only now: “my training hangs, why?”"
        assert (before in app.said) is quits

    async def once(app: Any) -> None:
        assert app.app.talk.consultation.session.complaints == ["training-hangs"]
        assert app.app.talk.consultation.session.words == "my training hangs, why?"

    drive(leaves, case, wait=False)
    gate.set()
    while saved.load("s1").is_open:
        time.sleep(0.01)
    drive(again, Case(root="run1"), resume="s1")
    drive(once, Case(root="run1"), resume="s1")
    assert awaited.kept(saved.load("s1")) == []


def test_a_kill_while_the_files_are_read_loses_no_sentence(
    drive: Drive, run_folder: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(Path(__file__).with_name("conftest.py"))],
        cwd=tmp_path,
        env=os.environ | {"MEDIC_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]

    async def script(app: Any) -> None:
        assert app.app.talk.consultation.session.complaints == ["training-hangs"]

    drive(script, Case(root="run1"), resume="s1")


def test_an_answer_that_waits_is_taken_and_what_is_broken_is_passed_over(
    drive: Drive, case: Case, tmp_path: Path
) -> None:
    async def first(app: Any) -> None:
        await app.send("my training hangs, why?")

    drive(first, case)
    options = [["genuine-need", ["this process needs it", "本进程需要"]]]
    last = saved.load("s1").data["taken"]
    waits = [
        {
            "number": last + 1,
            "picks": ["answer", "oom-shortfall", "genuine-need"],
            "options": options,
        },
        {"number": last + 2, "picks": ["answer", "no-such-check", "x"], "options": []},
        {"number": last + 3, "picks": 7},
        {"number": "5", "says": "x"},
        {"number": last, "says": "it is NaN"},  # it was taken: the state holds the number
        17,
    ]
    file = tmp_path / "state" / "sessions" / "s1" / awaited.AWAITED
    file.write_text(json.dumps(waits))

    async def again(app: Any) -> None:
        session = app.app.talk.consultation.session
        assert session.answers == [("oom-shortfall", "genuine-need")]
        assert session.words == "my training hangs, why?"

    drive(again, Case(root="run1"), resume="s1")
    assert not file.exists()
    for broken in ("{", "3"):
        file.write_text(broken)
        assert awaited.kept(saved.load("s1")) == []


def test_a_second_terminal_looks_and_then_writes_a_copy(drive: Drive, case: Case) -> None:
    async def first(app: Any) -> None:
        await app.send("2")

    drive(first, case)
    before = saved.load("s1").data
    held = saved.Keeper("s1")

    async def looks(app: Any) -> None:
        assert "s1 is open in another terminal: this is a look at it" in app.said
        assert app.app.talk.desk.session == ""

    async def quits(app: Any) -> None:
        talk = app.app.talk.consultation
        talk.diary.hear({"says": "my training hangs, why?"})
        talk.diary.taking = 1
        write(talk)  # and the process ends before the sentence is taken
        assert [one["says"] for one in awaited.kept(saved.load("s2"))] == [
            "my training hangs, why?"
        ]

    async def says(app: Any) -> None:
        assert "2 this process needs it" in app.said
        await app.send("my training hangs, why?")
        assert "From here on this is s3, a copy of s1" in app.said
        assert app.app.talk.desk.session == "s3"

    drive(looks, Case(root="run1"), resume="s1")
    assert [one.id for one in saved.listed()] == ["s1"]
    drive(quits, Case(root="run1"), resume="s1")
    drive(says, Case(root="run1"), resume="s1")
    del held
    assert saved.load("s1").data == before
    copy = saved.load("s3").data
    assert copy["said"]["answers"] == before["said"]["answers"]
    assert "my training hangs" in copy["said"]["words"]
    talk = [json.dumps(record) for record in saved.talk_of("s3")]
    assert any("this process needs it" in record for record in talk)
    assert any("my training hangs" in record for record in talk)


def test_what_could_not_be_kept_is_kept_when_it_can_be_again(
    index: Index, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary, session = Diary(), Session(index, case)
    diary.open()
    diary.keep(session, {})
    assert diary.news() is None

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        for name in ("keep", "say"):
            broken.setattr(saved.Keeper, name, full)
        diary.say(said("one"))
        session.complain_of("training-hangs", "it hangs")
        diary.keep(session, {})
        assert "No space left" in str(diary.problem)
        assert diary.news() is not None
        assert diary.news() is None
    diary.say(said("two"))
    session.complain_of("training-hangs", "it hangs again")
    diary.keep(session, {})
    assert diary.problem is None
    assert [record["lines"][0]["text"] for record in saved.talk_of("s1")] == ["one", "two"]
    assert "training-hangs" in saved.load("s1").data["said"]["chosen"]


def test_why_nothing_is_kept_is_said_in_the_language_of_the_talk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cannot(_cls: object) -> None:
        raise UsageError("the state folder cannot be made", "无法创建状态目录")

    monkeypatch.setattr(saved.Keeper, "new", classmethod(cannot))
    diary = Diary()
    diary.open()
    problem = diary.news()
    assert problem == Text(
        "This session cannot be kept: the state folder cannot be made",
        "无法保存本次会话：无法创建状态目录",
    )


def test_what_is_typed_before_the_knowledge_is_there_is_kept_when_the_app_is_left(
    drive: Drive, case: Case
) -> None:
    loads = threading.Event()

    def load() -> Index:
        loads.wait(30)
        raise KnowledgeError("late", "迟到")

    async def leaves(app: Any) -> None:
        await app.until(lambda: app.app.talk.desk._waiting > 0)
        app.prompt.text = "my training hangs, why?"
        await app.pilot.press("enter")
        await app.until(lambda: app.app.talk.desk._waiting > 1)

    async def says_nothing(app: Any) -> None:
        await app.until(lambda: app.app.talk.desk._waiting > 0)

    async def again(app: Any) -> None:
        assert "Said before it was left, and taken only now: “my training hangs, why?”" in app.said
        assert app.app.talk.consultation.session.complaints == ["training-hangs"]

    drive(says_nothing, case, load=load, wait=False)
    assert saved.listed() == []
    drive(leaves, case, load=load, wait=False)
    assert [one["says"] for one in awaited.kept(saved.load("s1"))] == ["my training hangs, why?"]
    loads.set()
    while saved.load("s1").is_open:
        time.sleep(0.01)
    drive(again, Case(root="run1"), resume="s1")
    assert awaited.kept(saved.load("s1")) == []
