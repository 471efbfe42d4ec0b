"""Remedies: the change in full, written, checked against the next run, taken back."""

from __future__ import annotations

import copy
import os
import time
from pathlib import Path
from typing import Any

import pytest
from medic.tui.patch_screen import PatchScreen

import medic.session.recheck
from medic.case.collect import Case, collect
from medic.index.knowledge import Index

from .changed import AFTER, AGAIN, BEFORE, FURTHER, Drive, written_later


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
