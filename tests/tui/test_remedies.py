"""Remedies: the change in full, written, checked against the next run, taken back."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.patch_screen import PatchScreen
from medic.tui.restart import sign_of

import medic.session.recheck
from medic.case.collect import Case, collect
from medic.entries.remedies import WorkedIf
from medic.index.knowledge import Index
from medic.records import replace

Drive = Callable[..., None]
BEFORE = "model: small\nmicro_batch_size: 8\nseq_length: 4096\n"
AFTER = BEFORE.replace("8", "4")
AGAIN = "step 1 loss 2.1\nCUDA out of memory\n"  # the log of another run that failed the same way
FURTHER = "step 1 loss 2.0\nstep 2 loss 1.9\n"  # of a run that is past where it failed


def written_later(file: Path, text: str) -> None:
    """A log of a run that began after the change."""
    file.write_text(text)
    later = time.time() + 60
    os.utime(file, (later, later))


def test_the_patch_is_seen_written_and_copied_before_anything_changes(
    drive: Drive, case: Case, run_folder: Path, tmp_path: Path
) -> None:
    async def script(app: Any) -> None:
        await app.press("f4")
        assert isinstance(app.app.screen, PatchScreen)
        shown = "\n".join(app.screen())
        for part in ("Apply to run1/train.yaml?", "-micro_batch_size: 8", "+micro_batch_size: 4"):
            assert part in shown
        assert "a apply   w write .patch   y copy   esc back" in shown
        await app.press("w")
        await app.press("w")
        assert "Written: " in "\n".join(app.screen())
        assert "patch -p0 < medic-" in "\n".join(app.screen())
        await app.press("y")
        await app.app.workers.wait_for_complete()
        await app.settle()
        assert "also in" in "\n".join(app.screen())
        await app.press("f1")
        assert "apply it: a backup is kept" in "\n".join(app.screen())
        await app.press("escape", "escape")
        assert "Nothing was changed." in app.talk()
        for height in (10, 12, 16):
            await app.resize(40, height)
            await app.settle()
            await app.press("f4")
            shown = "\n".join(app.screen())
            for part in ("-micro_batch_size: 8", "+micro_batch_size: 4", "a apply  esc back"):
                assert part in shown
            await app.press("q")

    drive(script, case)
    assert (run_folder / "train.yaml").read_text() == BEFORE
    first = tmp_path / "medic-fix-micro-batch-too-large.patch"
    second = tmp_path / "medic-fix-micro-batch-too-large-2.patch"
    assert "+micro_batch_size: 4" in first.read_text()
    assert first.read_text() == second.read_text()
    assert "+micro_batch_size: 4" in (tmp_path / "state" / "copied.txt").read_text()


def test_applied_then_the_same_again_then_taken_back(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    config, log = run_folder / "train.yaml", run_folder / "train.log"

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.press("f4")
        await app.press("a")
        assert config.read_text() == AFTER
        talk = app.talk()
        for part in ("Applied c1: run1/train.yaml", "medic undo c1", "To check, start the run"):
            assert part in talk
        assert "It worked if: 20 steps pass" in talk
        await app.send("1")
        assert "No log is newer than the change: run1/train.log was last" in app.talk()
        await app.send("3")
        assert "/look reads the new log whenever it is there" in app.talk()
        written_later(log, AGAIN)
        await app.send("/look")
        assert "The same again: “CUDA out of memory” is still there." in app.said
        assert session.tried == ["fix-micro-batch-too-large"]
        await app.press("f8")
        assert config.read_text() == AFTER
        assert "After this change the next run shows the same fault." in app.said
        assert "-micro_batch_size: 4 +micro_batch_size: 8" in app.said
        await app.send("1")
        assert config.read_text() == BEFORE
        assert "Restored: change c1 of run1/train.yaml is taken back." in app.said

    drive(script, case)


def test_a_remedy_that_was_not_enough_goes_a_step_further(
    drive: Drive, run_folder: Path, index: Index
) -> None:
    """16 was not enough: 8 is next, not "16 -> 16", and after three steps it is another cause."""
    config, log = run_folder / "train.yaml", run_folder / "train.log"
    raw = copy.deepcopy(dict(index.raw))
    changes = {"micro_batch_size": {"compute": "halve-to-divisor"}}
    raw["remedies"]["fix-micro-batch-too-large"] |= {"changes": changes}

    async def failed_again(app: Any, later: int) -> None:
        log.write_text(f"step 1 loss 2.{later}\nCUDA out of memory\n")
        os.utime(log, (time.time() + later, time.time() + later))
        await app.send("/look")

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        for old, new in ((8, 4), (4, 2)):
            await app.send("/patch 2" if old == 4 else "/patch")
            await app.press("a")
            assert f"micro_batch_size: {new}\n" in config.read_text(), old
            await failed_again(app, 60 * (10 - old))
            said = " ".join(app.said.split())
            assert "was not enough; its remedy goes a step further" in said
            assert session.tried == []
        await app.send("/patch 2")
        await app.press("a")
        assert "micro_batch_size: 1\n" in config.read_text()
        await failed_again(app, 900)
        assert session.tried == ["fix-micro-batch-too-large"]

    case = collect(["run1"], given={"gradient_accumulation_steps": 4})
    drive(script, case, load=lambda: Index(raw))


def test_what_the_files_hold_already_is_not_shown_as_a_change(
    drive: Drive, run_folder: Path
) -> None:
    (run_folder / "train.yaml").write_text(AFTER)

    async def script(app: Any) -> None:
        await app.send("2")
        said = " ".join(app.said.split())
        assert "In the files already:" in said
        assert "4 -> 4" not in said
        await app.press("f4")
        assert not isinstance(app.app.screen, PatchScreen)

    drive(script, collect(["run1"]))


def test_a_fault_that_is_gone_is_said_to_be_fixed(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    log = run_folder / "train.log"

    async def script(app: Any) -> None:
        await app.send("2")
        await app.press("f4")
        await app.press("a")
        await app.send("2")
        assert (run_folder / "train.yaml").read_text() == BEFORE
        await app.press("f4")
        await app.press("a")
        await app.press("f4")
        assert "c2 is applied; its run has not been seen yet." in app.talk()
        if isinstance(app.app.screen, PatchScreen):
            await app.press("escape")
        written_later(log, "step 1 loss 2.0\n")
        await app.send("/look")
        assert "Too early to tell whether “CUDA out of memory” is mended: step 1;" in app.said
        written_later(log, FURTHER)
        await app.send("/look")
        assert (
            "Fixed, as far as the new log shows: no more “CUDA out of memory” since c2 ("
            in app.said
        )
        assert "(step 2, past step 1 where it showed)." in app.said
        assert app.app.talk.consultation.session.answers == []
        assert app.screen()[1] == " suspects  none"
        await app.send("/add nowhere")
        assert "Not added: nowhere: No such file or folder" in app.said
        assert "nothing to read in nowhere" not in app.said

    drive(script, case)


def test_a_run_without_the_change_is_no_proof_against_it(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    config, log = run_folder / "train.yaml", run_folder / "train.log"

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.press("f4", "a")
        config.write_text(BEFORE)
        written_later(log, "step 1 loss 2.0\nCUDA out of memory\n")
        await app.send("/look")
        assert "train.yaml no longer holds the change c1" in app.said
        assert session.tried == []

    drive(script, case)


def test_a_log_that_only_went_on_says_nothing_of_the_change(
    drive: Drive, case: Case, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = [(1000.0, 1)]
    monkeypatch.setattr(medic.session.recheck, "_begin", lambda _: began[-1])

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "train.log", "step 1 loss 2.0\nCUDA out of memory\n")
        await app.send("/look")
        assert "its run began before the change c1" in app.said
        talk = app.app.talk.consultation
        assert talk.waiting.change == "c1"
        # The old log beside the changed file is ranked no more than before, and it is asked again.
        after = app.said.rpartition("its run began before the change c1")[2]
        assert "not established" not in after
        assert "1 read the new log" in after
        assert any(o.name == "cuda-out-of-memory" for o in talk.session.evidence.observed)
        began.append((2000.0, 1))
        await app.send("/look")
        assert "The same again" in app.said

    drive(script, case)


def test_the_command_is_run_where_its_files_are(drive: Drive, run_folder: Path) -> None:
    (run_folder / "launch.sh").write_text("torchrun train.py --config train.yaml\n")

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        assert "(cd run1 && bash launch.sh 2>&1 | tee after-c1.log)" in app.said

    drive(script, collect(["run1"]))


def test_a_run_that_reads_another_file_says_nothing_of_the_change(
    drive: Drive, run_folder: Path
) -> None:
    script_file, log = run_folder / "launch.sh", run_folder / "train.log"
    script_file.write_text("torchrun train.py --config /job/train.yaml\n")

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        assert "The run reads /job/train.yaml (says run1/launch.sh), not the" in app.said
        written_later(log, AGAIN)
        await app.send("1")
        assert "the run need not have had the change c1" in app.said
        assert "The same again" not in app.said
        assert app.app.talk.consultation.session.tried == []

    drive(script, collect(["run1"]))


def test_a_pasted_log_answers_a_change(drive: Drive, case: Case) -> None:
    pasted = "[rank0]: RuntimeError: other\n[rank0]: torch: CUDA out of memory. Tried\n"

    async def script(app: Any) -> None:
        await app.press("f4")
        await app.press("a")
        await app.send(pasted)
        assert "The same again: “CUDA out of memory” is still there." in app.said
        names = [f.name for f in app.app.talk.consultation.session.case.files]
        assert "run1/train.log" not in names

    drive(script, case)


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


# --- what is no proof -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["train.log", "again.log"])
def test_the_log_from_before_tells_nothing_whatever_its_date(
    drive: Drive, case: Case, run_folder: Path, name: str
) -> None:
    log = run_folder / "train.log"

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / name, log.read_text("utf-8"))
        await app.send("1")
        assert "It is the same log as before, byte for byte" in app.said
        assert "is still there" not in app.said
        assert app.app.talk.consultation.waiting.change == "c1"

    drive(script, case)


def test_a_run_that_has_not_begun_to_train_mends_nothing(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "train.log", "model parameters: 2422.9M\n")
        await app.send("1")
        assert "Fixed" not in app.said
        assert "Nothing trained yet, so nothing can be said of “CUDA out of memory”" in app.said

    drive(script, case)


def test_a_younger_run_is_held_against_the_failed_one_at_each_look(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    """Nothing was changed by medic: the run that failed is still what a later log is held against."""
    log = run_folder / "train.log"

    async def script(app: Any) -> None:
        written_later(log, "step 1 loss 2.0\n")
        await app.send("/look")
        assert "Too early to tell whether “CUDA out of memory” is mended" in app.said
        assert "Fixed" not in app.said
        written_later(log, FURTHER)
        await app.send("/look")
        assert "Fixed, as far as the new log shows: no more “CUDA out of memory” (" in app.said

    drive(script, case)


def test_while_a_change_waits_words_lead_back_to_its_run(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    """The file is other than it was read because medic wrote it."""

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        for words in ("the gpu fan is loud", "my training hangs, why?", "what now?"):
            await app.send(words)
            assert app.app.talk.choices.kind == "after", words
            told = app.said.rpartition(words)[2]
            assert "read the new log" in told
            assert "What to do" not in told
        assert "the file changed since it was read" not in app.said
        written_later(run_folder / "train.log", FURTHER)
        await app.send("1")
        assert "Fixed" in app.said

    drive(script, case)


def test_a_word_taken_back_restores_no_file(drive: Drive, case: Case, run_folder: Path) -> None:
    """After the log of a mended run was read, the change is the newest that could be taken back."""
    config = run_folder / "train.yaml"

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "train.log", FURTHER)
        await app.send("1")
        assert "Fixed" in app.said
        await app.send("?")
        await app.press("f8")
        assert "Take back the change c1" in app.said
        assert "With this change the next run no longer showed" in app.said
        await app.send("3")
        assert config.read_text() == AFTER

    drive(script, case)


def test_the_change_is_made_where_the_run_reads_it(
    drive: Drive, run_folder: Path, tmp_path: Path
) -> None:
    """A remedy that the run did not have is no evidence; its place is offered instead."""
    other = tmp_path / "elsewhere" / "train.yaml"
    other.parent.mkdir()
    other.write_text(BEFORE)
    (run_folder / "launch.sh").write_text(f"torchrun train.py --config {other}\n")

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "train.log", AGAIN)
        await app.send("2")
        said = app.said.rpartition("The run reads")[2]
        assert str(other) in "".join(said.split())
        assert app.app.talk.consultation.session.tried == []
        await app.press("f4")
        assert not isinstance(app.app.screen, PatchScreen)
        await app.send("1")
        assert isinstance(app.app.screen, PatchScreen)
        await app.press("a")
        assert other.read_text() == AFTER

    drive(script, collect(["run1"]))


@pytest.mark.parametrize("lacks", ["reads-another", "taken-out", "has-it"])
def test_a_change_is_credited_only_with_what_its_run_shows(
    drive: Drive, run_folder: Path, tmp_path: Path, lacks: str
) -> None:
    config, other = run_folder / "train.yaml", tmp_path / "elsewhere" / "train.yaml"
    other.parent.mkdir()
    other.write_text(BEFORE)
    read = other if lacks == "reads-another" else config
    (run_folder / "launch.sh").write_text(f"torchrun train.py --config {read}\n")

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        if lacks == "taken-out":
            config.write_text(BEFORE.replace("8", "2"))
        written_later(run_folder / "train.log", FURTHER)
        await app.send("/look")
        had = lacks == "has-it"
        assert ("Fixed, as far as the new log shows" in app.said) is had
        assert ("so it was not this change that mended it" in app.said) is not had
        await app.send("/report")
        assert ("by c1" in app.said) is had

    drive(script, collect(["run1"]))


def test_whether_a_run_of_another_machine_had_a_change_is_not_known(
    drive: Drive, run_folder: Path
) -> None:
    """A folder that was copied: its script names the file where it lay there."""
    (run_folder / "launch.sh").write_text("torchrun train.py --config /job/run1/train.yaml\n")

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "train.log", FURTHER)
        await app.send("/look")
        said = " ".join(app.said.split())
        assert "Gone, as far as the new log shows" in said
        assert "That run may not have had c1" in said
        assert "did not have c1" not in said
        await app.send("/report")
        assert "whether it had this change is not known" in " ".join(app.said.split())

    drive(script, collect(["run1"]))


def test_a_remedy_without_a_sign_of_its_own_is_judged_by_its_symptom(
    drive: Drive, case: Case, index: Index
) -> None:
    remedy = index.remedies["fix-micro-batch-too-large"]

    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        assert str(sign_of(session, remedy)) == "“CUDA out of memory” does not come back"
        later = replace(remedy, worked_if=WorkedIf(gone="cuda-out-of-memory", after_steps=20))
        told = sign_of(session, later)
        assert str(told) == "“CUDA out of memory” does not come back within 20 steps"
        assert sign_of(session, replace(remedy, worked_if=WorkedIf(after_steps=20))) is None
        await app.press("f4", "a")
        assert "It worked if: “CUDA out of memory” does not come back" in app.said

    raw = copy.deepcopy(dict(index.raw))
    del raw["remedies"][remedy.name]["check"]
    drive(script, case, load=lambda: Index(raw))
