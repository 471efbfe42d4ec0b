"""Taking back: the newest first, over answers, words, tried remedies and changed files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from medic.tui.patch_screen import PatchScreen

from medic.case import Case, collect

Drive = Callable[..., None]


def test_the_newest_move_is_taken_back_first(drive: Drive, case: Case, run_folder: Path) -> None:
    config = run_folder / "train.yaml"
    before = config.read_text()

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.press("f4")
        await app.press("a")
        await app.send("2")
        await app.send("/look")
        await app.send("2")
        assert session.answers == [("oom-shortfall", "genuine-need")]
        await app.press("f8")
        assert session.answers == []
        assert "Taken back: Who holds the memory: this process" in app.talk()
        assert config.read_text() != before
        await app.press("f8")
        assert config.read_text() == before
        assert "Taken back: change c" in app.talk()
        await app.press("f8")
        assert "There is nothing to take back." in app.talk()

    drive(script, case)


def test_a_new_episode_forgets_what_was_said_before(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.press("4")
        await app.send("training hangs")
        await app.press("1")
        await app.send("/tried")
        (run_folder / "train.log").write_text("step 1 loss 2.0\n")
        await app.send("/look")
        assert "The symptoms have changed" in app.talk()
        assert session.complaints == []
        assert session.words == ""
        assert session.unknown == []
        await app.press("f8")
        assert "There is nothing to take back." in app.talk()
        assert "failed here" not in app.talk()

    drive(script, case)


def test_a_remedy_is_marked_once(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("/tried 1")
        first = list(session.tried)
        number = next(
            o.number for o in app.app.talk.consultation.offers() if o.fix.remedy.name in first
        )
        await app.send(f"/tried {number}")
        assert "is marked already" in app.talk()
        await app.press("f8", "f8")
        assert session.tried == []
        assert app.app.talk.consultation.before_remedy is None
        assert "failed here" not in app.talk()

    drive(script, case)


def test_another_run_has_nothing_to_take_back(
    drive: Drive, run_folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "run2"
    other.mkdir()
    for file in run_folder.iterdir():
        (other / file.name).write_bytes(file.read_bytes())

    async def script(app: Any) -> None:
        talk = app.app.talk.consultation
        await app.send("/tried")
        assert talk.before_remedy is not None
        talk.take_case(collect([str(other)]))
        assert talk.before_remedy is None
        assert talk.moves == []

    drive(script, collect(["run1"]))


def test_none_is_shown_and_a_description_ends_it(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/none")
        assert app.screen()[1] == " suspects  none of these"
        await app.send("training hangs")
        await app.press("1")
        assert "The micro batch" in app.screen()[1]
        talk = app.talk().rpartition("[you]")[2]
        assert "Noted: “Training hangs”. The causes are ranked anew with it." in talk
        assert "Likely, not established" in talk
        await app.press("f8")
        assert app.screen()[1] == " suspects  none of these"

    drive(script, case)


def test_no_plan_holds_until_changed_files_were_looked_at(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("f4")
        await app.press("a")
        await app.press("f4")
        assert not isinstance(app.app.screen, PatchScreen)
        assert "looking again" in app.talk()
        await app.press("f8")
        await app.press("f4")
        assert isinstance(app.app.screen, PatchScreen)
        shown = "\n".join(app.screen())
        assert "-micro_batch_size: 8" in shown
        assert "+micro_batch_size: 4" in shown

    drive(script, case)


def test_f4_never_opens_the_change_against_something_else(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.press("3")
        offers = app.app.talk.consultation.offers()
        assert offers[0].fix.patch is None
        other = next(o for o in offers if o.fix.patch is not None)
        assert other.against is not None
        await app.press("f4")
        assert not isinstance(app.app.screen, PatchScreen)
        talk = " ".join(app.talk().rpartition("by hand:")[2].split())
        assert f"{other.title}, against: {other.against}" in talk
        await app.send(f"/patch {other.number}")
        assert isinstance(app.app.screen, PatchScreen)
        assert "against: The micro batch" in " ".join("\n".join(app.screen()).split())

    drive(script, case)


def test_a_low_screen_keeps_changed_lines_and_keys(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("f4")
        shown = "\n".join(app.screen())
        assert "-micro_batch_size: 8" in shown
        assert "+micro_batch_size: 4" in shown
        assert "a apply  esc back" in shown
        await app.press("y")
        assert "a apply  esc back" in "\n".join(app.screen())

    for height in (10, 11, 12, 16):
        drive(script, case, size=(40, height))


def test_a_smaller_screen_keeps_the_verdict(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("2")
        await app.pilot.resize_terminal(40, 12)
        await app.settle()
        assert any("Established:" in row for row in app.screen())

    drive(script, case)


def test_what_to_do_is_seen_before_the_consequences(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("2")
        talk = app.talk().rpartition("Established:")[2]
        order = ["What to do", "Halve the micro batch", "× empty the cache"]
        places = [talk.index(part) for part in order]
        assert places == sorted(places)
        assert any("1  Halve the micro batch" in row for row in app.screen())

    drive(script, case)
