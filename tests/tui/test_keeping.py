"""Sessions are kept as they go: a crash loses nothing, and what is kept can be read."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from medic.tui.app import tell_kept
from medic.tui.keeping import block_of, record_of
from medic.tui.lines import Block, Line, code

from medic.case.collect import Case
from medic.commands import main
from medic.edits import records
from medic.i18n import Text, plain, use
from medic.records import replace
from medic.report.saved_text import by_minute
from medic.report.schemas import SCHEMAS
from medic.session import saved

Drive = Callable[..., None]
CRASHES = """
import asyncio, importlib.util, os, signal, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("tui_conftest", sys.argv[1])
conftest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conftest)
import medic.runner.registry
from medic.case.collect import collect
from medic.i18n import use
medic.runner.registry.all_probes = lambda: conftest.SMALL.PROBES
use("en")

async def go():
    app = conftest.MedicApp(lambda: conftest.Index(conftest.SMALL.RAW), collect(["run1"]))
    async with app.run_test(size=(80, 24)) as pilot:
        driver = conftest.Driver(app, pilot)
        await driver.settle()
        await driver.send("my training hangs, why?")
        await driver.send("2")
        await driver.send("/tried 1")
        await driver.press("f4")
        await driver.press("a")
        driver.prompt.text = "[rank0]: torch: CUDA out of memory. Tried\\n[rank0]: RuntimeError: x"
        await pilot.press("enter")
        await driver.settle()
        driver.prompt.text = "the last words"
        await pilot.press("enter")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(go())
"""


def test_a_kill_in_the_middle_loses_nothing(
    drive: Drive, run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = run_folder / "train.yaml"
    before = config.read_text()
    done = subprocess.run(
        [sys.executable, "-c", CRASHES, str(Path(__file__).with_name("conftest.py"))],
        cwd=tmp_path,
        env=os.environ | {"MEDIC_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    assert config.read_text() != before

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        assert session.told.words.startswith("my training hangs, why?")
        assert session.answers == [("oom-shortfall", "genuine-need")]
        assert "fix-micro-batch-too-large" in session.tried
        assert [a.change for a in session.applied] == ["c1"]
        assert "CUDA out of memory. Tried" in session.case.pasted
        talk = app.talk()
        for part in (
            "[you]    my training hangs, why?",
            "[you]    2  this process needs it",
            "Applied c1: run1/train.yaml",
            "Took this as log lines (2).",
            "[you]    the last words",
            "Going on with s1",
        ):
            assert part in talk, part
        for _ in range(6):
            await app.press("f8")
            if (open_now := app.app.talk.choices) is not None and open_now.kind == "restore":
                await app.send("1")
        assert session.answers == []
        assert session.complaints == []
        assert config.read_text() == before

    drive(script, Case(root="run1"), resume="s1")
    capsys.readouterr()
    assert main(["sessions"]) == 0
    assert "s1" in capsys.readouterr().out


def test_what_is_kept_is_listed_shown_and_replayed(
    drive: Drive, case: Case, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async def script(app: Any) -> None:
        await app.send("my token=hf_abcdefghijklmnop fails and training hangs")
        await app.send("2")
        await app.press("f4")
        await app.press("a")

    async def back(app: Any) -> None:
        assert "Going on with s1: a change that was made here waits" in app.talk()
        assert "[you]    2  this process needs it" in app.talk()
        session = app.app.talk.consultation.session
        assert session.answers == [("oom-shortfall", "genuine-need")]
        assert app.app.talk.consultation.waiting.change == "c1"

    drive(script, case)
    drive(back, case)
    capsys.readouterr()
    assert main(["show", "s1"]) == 0
    shown = capsys.readouterr().out
    for part in (
        "# medic session s1: Established: The micro batch does not fit (MEM-001)",
        "## Where it stands",
        "## The talk",
        "> 2  this process needs it",
        "```diff\n--- run1/train.yaml",
        "hf_abcdefghijklmnop".replace("_", "\\_"),
    ):
        assert part in shown, part
    assert main(["show", "1", "--redact"]) == 0
    assert "abcdefghijklmnop" not in capsys.readouterr().out
    assert main(["--lang", "zh", "show", "s1"]) == 0
    assert "已确诊：单卡微批次放不进显存" in capsys.readouterr().out
    use("en")
    assert main(["replay", "s1"]) == 0
    assert "[you]    2  this process needs it" in capsys.readouterr().out
    assert main(["sessions", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    jsonschema.validate(listed, SCHEMAS["sessions"])
    assert listed["sessions"][-1]["verdict"] == "established"
    assert main(["show", "s9"]) == 2
    assert "there is no session s9" in capsys.readouterr().err
    state = tmp_path / "state" / "sessions" / "s1"
    assert all(f.stat().st_mode & 0o077 == 0 for f in (state, *state.iterdir()))


def test_a_change_that_waits_is_gone_on_with_until_the_user_begins_anew(
    drive: Drive, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    """The changed file beside the log of the run before it would show another cause."""

    async def changes(app: Any) -> None:
        await app.send("2")
        await app.press("f4", "a")

    async def anew(app: Any) -> None:
        talk = app.app.talk.consultation
        assert talk.waiting.change == "c1"
        assert any("The micro batch does not fit" in row for row in app.screen()[:2])
        await app.send("4")
        assert talk.waiting is None
        assert "train.yaml has changed since the last look" in app.talk()

    async def later(app: Any) -> None:
        assert "You were here before (s1)" in app.said
        assert "train.yaml was changed 1 min after the log was last written" in app.said
        assert app.app.talk.consultation.diary.id == "s2"

    drive(changes, case)
    drive(anew, case)
    drive(later, case)
    capsys.readouterr()
    assert main(["show", "s1"]) == 0
    assert "no run has shown it yet" in capsys.readouterr().out
    assert main(["diagnose", "run1"]) == 1
    assert "train.yaml was changed 1 min after" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["nothing", "values", "more files", "undone"])
def test_what_is_given_now_or_was_taken_back_begins_anew(
    drive: Drive, case: Case, what: str
) -> None:
    async def changes(app: Any) -> None:
        await app.send("2")
        await app.press("f4", "a")

    async def begins(app: Any) -> None:
        assert (app.app.talk.consultation.diary.id == "s1") == (what == "nothing")

    drive(changes, case)
    if what == "values":
        case = replace(case, given={"world_size": 8})
    elif what == "more files":
        case = replace(case, paths=(*case.paths, "other.log"))
    elif what == "undone":
        records.with_state(records.load("c1"), "undone")
    drive(begins, case)


def test_a_change_that_was_undone_elsewhere_is_done_no_more(
    drive: Drive, case: Case, capsys: pytest.CaptureFixture[str], run_folder: Path
) -> None:
    async def changes(app: Any) -> None:
        await app.send("2")
        await app.press("f4", "a")

    async def back(app: Any) -> None:
        talk = app.app.talk.consultation
        assert "The change c1 of run1/train.yaml was taken back meanwhile" in app.said
        assert talk.waiting is None
        assert talk.session.applied == []
        assert app.app.talk.choices is None
        await app.press("f8")
        assert talk.session.answers == []  # what comes before the change

    before = (run_folder / "train.yaml").read_text()
    drive(changes, case)
    assert main(["show", "s1"]) == 0
    assert "`no run has shown it yet`" in capsys.readouterr().out
    assert main(["undo", "c1"]) == 0
    assert (run_folder / "train.yaml").read_text() == before
    capsys.readouterr()
    assert main(["show", "s1"]) == 0
    shown = capsys.readouterr().out
    assert "c1: Halve the micro batch `taken back since`" in shown
    assert "no run has shown it yet" not in shown
    drive(back, Case(root="run1"), resume="s1")


def test_a_torn_line_and_a_broken_state_are_passed_over(tmp_path: Path) -> None:
    keeper = saved.Keeper.new()
    keeper.say(record_of(code("a\nb")))
    file = tmp_path / "state" / "sessions" / keeper.id / saved.TALK
    with file.open("ab") as out:
        out.write(b'{"who": "you", "lines": [{"te')
    assert [block_of(r) for r in saved.talk_of(keeper.id)] == [code("a\nb")]
    file.with_name(saved.STATE).write_text('{"format": 99}')
    assert saved.listed() == []


def test_a_block_is_the_same_after_it_was_kept() -> None:
    line = Line(Text("a", "甲"), "warn", "1  ", 2, plain("x:1"), verbatim=True, aside=plain("b"))
    for block in (
        Block("medic", (line, Line(plain("[/bold]\x1b")))),
        code("-a x\n+a y\n", diff=True),
    ):
        assert block_of(record_of(block)) == block
    assert block_of({"who": "you"}) is None


def test_a_state_folder_that_refuses_is_said_once(
    drive: Drive, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "file" / "state"))

    async def script(app: Any) -> None:
        assert app.talk().count("This session cannot be kept:") == 1
        await app.send("2")
        assert "Established" in app.talk()
        assert app.talk().count("This session cannot be kept:") == 1

    drive(script, case)


def test_what_comes_after_a_resume_is_kept(drive: Drive, case: Case, run_folder: Path) -> None:
    """A session that waits for the run after a change, taken up again when its log is there."""

    async def first(app: Any) -> None:
        await app.send("world size 8")
        await app.press("f4", "a")
        assert app.app.talk.consultation.waiting is not None

    async def again(app: Any) -> None:
        later = time.time() + 60
        (run_folder / "train.log").write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
        os.utime(run_folder / "train.log", (later, later))
        await app.send("1")
        assert "Fixed, as far as the new log shows" in app.said
        assert app.said.rpartition("Fixed,")[2].count("world size = 8") == 0
        assert app.app.talk.consultation.session.case.given == {"world_size": 8}

    drive(first, case)
    drive(again, Case(root="run1"), resume="s1")
    kept = saved.load("s1")
    assert kept.verdict in ("healthy", "no-fault-seen")
    assert kept.data["waiting"] == ""
    talk = [str(row) for row in saved.talk_of("s1")]
    assert any("Fixed, as far as the new log shows" in row for row in talk)
    assert "the next run no longer shows the fault" in str(kept.data["stand"])


def test_who_leaves_is_told_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    tell_kept("s7")
    assert "medic resume s7" in capsys.readouterr().err
    tell_kept("")
    assert capsys.readouterr().err == ""


def test_a_desk_names_its_kept_session(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        assert app.app.talk.desk.session == "s1"

    drive(script, case)


def test_a_session_that_is_open_elsewhere_says_so(drive: Drive, case: Case) -> None:
    async def first(app: Any) -> None:
        await app.send("2")

    drive(first, case)
    gc.collect()
    held = saved.Keeper("s1")

    async def second(app: Any) -> None:
        assert "s1 is open in another terminal: this is a look at it" in app.said

    drive(second, Case(root="run1"), resume="s1")
    del held
    gc.collect()

    async def third(app: Any) -> None:
        assert "in another terminal" not in app.said

    drive(third, Case(root="run1"), resume="s1")


def test_sessions_of_one_minute_are_listed_by_their_numbers() -> None:
    def kept(name: str, changed: float) -> saved.Saved:
        return saved.Saved(name, 0.0, changed, "run1", "", None, "", 0, {})

    rows = [kept("s2", 125.0), kept("s10", 130.0), kept("s9", 170.0), kept("s1", 200.0)]
    assert [one.id for one in by_minute(rows)] == ["s1", "s10", "s9", "s2"]
