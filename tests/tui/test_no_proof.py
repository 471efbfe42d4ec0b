"""What is no proof for or against a change: runs from before it, without it, or that did not begin."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from medic.tui.patch_screen import PatchScreen
from medic.tui.restart import sign_of

from medic.case.collect import Case, collect
from medic.entries.remedies import WorkedIf
from medic.index.knowledge import Index
from medic.records import replace

from .changed import AFTER, AGAIN, BEFORE, FURTHER, Drive, written_later


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
