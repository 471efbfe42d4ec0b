"""The first paint waits for nothing; what fails is told and the app goes on."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.bars import Progress

import medic.runner.registry
from medic.case.collect import Case, collect
from medic.errors import KnowledgeError
from medic.index.knowledge import Index
from medic.probe import Probe
from medic.session.saved import listed

Drive = Callable[..., None]


def test_the_input_is_there_before_the_knowledge(drive: Drive, case: Case, index: Index) -> None:
    gate = threading.Event()

    def load() -> Index:
        gate.wait(20)
        return index

    async def script(app: Any) -> None:
        await app.pilot.pause(0.05)
        rows = app.screen()
        assert rows[0].startswith(" medic ")
        assert rows[1] == " suspects  not known yet"
        assert "loading the knowledge" in rows[-3]
        assert "describe what you see, or paste the error" in rows[-2]
        assert app.app.focused is app.prompt
        await app.pilot.press("x", "y")
        assert app.prompt.text == "xy"
        assert "Likely" not in app.talk()
        gate.set()
        await app.settle()
        assert "Likely, not established" in app.talk()
        assert app.prompt.text == "xy"

    drive(script, case, load=load, wait=False)


def test_leaving_does_not_wait_for_a_loader_that_hangs(drive: Drive, case: Case) -> None:
    gate = threading.Event()

    def load() -> Index:
        gate.wait(20)
        raise KnowledgeError("late", "迟到")

    async def script(app: Any) -> None:
        await app.pilot.press("f10")

    start = time.monotonic()
    drive(script, case, load=load, wait=False)
    assert time.monotonic() - start < 10
    gate.set()


def test_bad_knowledge_is_told_with_its_place(drive: Drive, case: Case) -> None:
    def load() -> Index:
        raise KnowledgeError("unknown symptom", "未知症状", at="x.yaml:7")

    async def script(app: Any) -> None:
        assert "The knowledge cannot be used: x.yaml:7: unknown symptom" in app.talk()
        await app.send("/lang zh")
        assert "知识库无法使用：x.yaml:7: 未知症状" in app.talk()

    drive(script, case, load=load)


def test_a_bug_is_told_kept_in_a_file_and_the_talk_goes_on(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def script(app: Any) -> None:
        def fails(*_: object) -> None:
            raise ZeroDivisionError("[/bold]")

        app.app.talk.consultation.session.mind = fails
        await app.press("f3")
        assert "medic failed here (ZeroDivisionError: [/bold])" in app.talk()
        await app.send("2")
        assert "Established" in app.talk()

    drive(script, case)
    assert "ZeroDivisionError" in (tmp_path / "state" / "app-error.txt").read_text()


def test_nothing_given_is_one_friendly_question(drive: Drive) -> None:
    async def script(app: Any) -> None:
        assert "Nothing to read here yet. What goes wrong?" in app.talk()
        assert "4  it hangs, nothing moves" in app.talk()
        assert "no files yet" in app.screen()[0]
        await app.press("f3", "f4", "f5", "f6", "f8")
        talk = app.talk()
        assert "There is nothing to change yet." in talk
        assert "No probe has run." in talk
        await app.send("7")
        assert "Then describe it, or paste the lines" in app.talk()

    async def picks(app: Any) -> None:
        await app.send("4")
        assert app.app.talk.consultation.session.complaints == ["training-hangs"]

    drive(script, Case())
    drive(picks, Case())


def test_esc_stops_the_probes(drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()

    def slow(look: Any) -> Any:
        started.set()
        while not look.cancelled():
            time.sleep(0.01)
        return iter(())

    probes = (Probe("a-slow-one", (), slow), Probe("late", (), slow, needs=(Index,)))
    monkeypatch.setattr(medic.runner.registry, "all_probes", lambda: probes)

    async def script(app: Any) -> None:
        await app.until(started.is_set)
        await app.until(lambda: "a-slow-one" in app.screen()[-3])
        row = app.screen()[-3]
        assert "/2  esc cancels  ━" in row or "/2  esc cancels  ╌" in row
        await app.press("escape")
        assert "Stopped; " in app.talk()
        assert "Nothing can be said yet" in app.talk()
        assert "esc cancels" not in "\n".join(app.screen())
        assert app.screen()[1] == " suspects  not known yet"
        (kept,) = listed()
        assert kept.verdict == ""  # nobody is told of it as if it had been looked at

    drive(script, case, wait=False)


def test_a_probe_that_hangs_is_one_grey_line(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def hangs(look: Any) -> Any:
        gate.wait(20)
        return iter(())

    small = sys.modules[drive.__module__].SMALL.PROBES
    probes = (*small, Probe("stuck", (), hangs, limit_seconds=0.2))
    monkeypatch.setattr(medic.runner.registry, "all_probes", lambda: probes)

    async def script(app: Any) -> None:
        assert "stuck: failed: time limit" in app.talk()
        assert "Likely, not established" in app.talk()
        gate.set()

    drive(script, case)


def test_several_runs_are_offered(drive: Drive, run_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "run2"
    other.mkdir()
    (other / "train.yaml").write_text("micro_batch_size: 2\n")
    (other / "train.log").write_text("step 1 loss 2.0\n")

    async def script(app: Any) -> None:
        assert "Several runs are here. Which one?" in app.talk()
        assert app.app.talk.consultation.found is None
        number = 1 + [v for v, _ in app.app.talk.choices.options].index("run1")
        await app.send(str(number))
        assert "train.log:2 [rank 0]" in app.talk()
        assert "run1" in app.screen()[0]
        await app.send("/run nowhere")
        assert 'no run "nowhere"' in app.talk()
        await app.send("/run run2")
        assert "run2" in app.screen()[0]

    drive(script, collect(["."]), which=True)


def test_the_first_paint_needs_no_engine() -> None:
    """What only the consultation needs is imported on its own thread."""
    rooms = ["session", "runner", "index", "match", "beliefs"]
    heavy = [*(f"medic.{room}" for room in rooms), "re2", "pydantic", "networkx", "yaml"]
    words = f"import sys, medic.tui.app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_something_is_seen_to_go_on_until_all_is_told(
    drive: Drive, case: Case, index: Index
) -> None:
    gate = threading.Event()

    def load() -> Index:
        assert gate.wait(30)
        return index

    async def script(app: Any) -> None:
        progress = app.app.talk.query_one(Progress)
        assert progress.state.what is not None
        gate.set()
        await app.settle()
        assert progress.state.what is None

    drive(script, case, load=load, wait=False)


@pytest.mark.parametrize("paths", [[], ["."]])
def test_an_empty_folder_opens_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str]
) -> None:
    from medic.commands import app

    opened: list[Case] = []
    monkeypatch.chdir(tmp_path)

    def start(case: Case, **_: Any) -> int:
        opened.append(case)
        return 0

    monkeypatch.setattr(app, "start", start)
    code = app.command.main([*paths, "--set", "seq_length=4096"], standalone_mode=False)
    assert (code, opened[0].files, opened[0].root) == (0, (), ".")
    assert [*opened[0].given.values()] == [4096]
