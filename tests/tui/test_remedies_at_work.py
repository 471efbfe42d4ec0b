"""After a change: what a further look at the logs tells, and where it is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.tui.patch_screen import PatchScreen

from medic.case.collect import Case

from .changed import BEFORE, FURTHER, Drive, written_later


def test_changed_symptoms_after_a_remedy_start_anew(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("4")
        await app.send("training hangs")
        await app.send("/tried")
        (run_folder / "train.log").write_text(FURTHER)
        await app.send("/look")
        assert "Fixed, as far as the new log shows: no more “CUDA out of memory” (" in app.said
        assert session.complaints == []
        assert session.words == ""
        assert session.unknown == []
        await app.press("f8")
        assert "There is nothing to take back." in app.talk()
        assert "failed here" not in app.talk()

    drive(script, case)


def test_f4_never_opens_the_change_against_something_else(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("3")
        offers = app.app.talk.consultation.offers()
        assert offers[0].fix.patch is None
        other = next(o for o in offers if o.fix.patch is not None)
        await app.press("f4")
        assert not isinstance(app.app.screen, PatchScreen)
        talk = " ".join(app.talk().rpartition("by hand:")[2].split())
        assert f"{other.against}: {other.title}" in talk
        await app.send(f"/patch {other.number}")
        assert isinstance(app.app.screen, PatchScreen)
        assert "against: The micro batch" in " ".join("\n".join(app.screen()).split())

    drive(script, case)


def test_a_second_look_tells_only_what_is_different(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/look")
        again = app.talk().rpartition("/look")[2]
        assert "4 probes: " in again
        assert "had nothing to read" not in again
        assert "config  " not in again
        assert "broken" not in again

    drive(script, case)


def test_a_fault_mended_by_hand_is_said_to_be_fixed(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.send("/look")
        assert "Fixed" not in app.talk()
        assert "no more “" not in app.talk()
        written_later(run_folder / "train.log", FURTHER)
        await app.send("/look")
        assert "Fixed, as far as the new log shows: no more “CUDA out of memory” (" in app.said

    drive(script, case)


def test_the_log_of_a_later_run_takes_the_place_of_the_one_before(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        written_later(run_folder / "again.log", FURTHER)
        await app.send("/look")
        assert "Fixed, as far as the new log shows: no more “CUDA out of memory” (" in app.said
        assert any("not read: run1/train.log" in row for row in app.screen())

    drive(script, case, size=(80, 12))


def test_a_log_that_is_left_out_is_not_mended(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/drop train.log")
        assert "Fixed" not in app.talk()

    drive(script, case)


def test_what_was_restored_is_in_sight(drive: Drive, case: Case, run_folder: Path) -> None:
    """On a small screen the answer that is told again does not push it away."""

    async def script(app: Any) -> None:
        await app.send("2")
        await app.press("f4", "a")
        await app.press("f8")
        assert "Take back the change c1" in app.said
        await app.send("1")
        assert (run_folder / "train.yaml").read_text() == BEFORE
        shown = "\n".join(app.screen())
        assert "Restored: change c1 of run1/train.yaml is taken back." in shown

    drive(script, case)


@pytest.mark.parametrize("height", [12, 16, 24])
def test_the_choices_after_a_change_are_in_sight(drive: Drive, case: Case, height: int) -> None:
    async def script(app: Any) -> None:
        await app.send("2")
        await app.press("f4", "a")
        shown = "\n".join(app.screen())
        assert "3  later" in shown
        assert "1  read the new log" in shown
        if height == 12:
            assert "▲ more above: page up" in shown
            await app.press("pageup")
            assert "▼ more below: page down" in "\n".join(app.screen())

    drive(script, case, size=(80, height))


def test_the_change_is_pointed_at_where_it_is_decided(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        assert "f4 the change)" in app.talk()
        await app.send("2")
        shown = "\n".join(app.screen())
        assert "f4 shows the change; nothing is written before you say so" in shown
        assert "› f4 shows the change; or describe what you see" in shown

    drive(script, case)


def test_a_log_that_has_grown_is_no_other_run(
    drive: Drive, case: Case, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may hold no time at all, and what was odd at first may have passed."""
    log = run_folder / "train.log"

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        monkeypatch.setattr(type(session), "observed_symptoms", lambda _: set())
        written_later(log, log.read_text("utf-8") + "step 2 loss 1.9\n")
        await app.send("/look")
        assert "Fixed" not in app.talk()
        await app.send("/look")

    drive(script, case)
