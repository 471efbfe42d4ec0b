"""Runs one after another: files of the run before, several faults in a row, a change elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import medic.runner.registry
from medic.case.collect import Case, collect
from medic.facts import Source
from medic.probe import Finding, Probe

Drive = Callable[..., None]


def written_later(file: Path, text: str, minutes: float = 1.0) -> None:
    file.write_text(text)
    later = time.time() + 60 * minutes
    os.utime(file, (later, later))


def test_a_log_of_the_run_before_brings_the_next_no_further(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    (run_folder / "rank1.log").write_text("".join(f"step {n} loss 2\n" for n in range(1, 23)))

    async def script(app: Any) -> None:
        written_later(run_folder / "train.log", "step 1 loss 2.0 of 300\n")
        await app.send("/look")
        assert "Fixed" not in app.said
        assert "Too early to tell whether “CUDA out of memory” is mended: step 1;" in app.said
        names = [f.name for f in app.app.talk.consultation.session.case.files]
        assert "run1/rank1.log" not in names

    drive(script, collect(["run1"]))


def test_so_it_is_where_the_session_was_left_meanwhile(drive: Drive, run_folder: Path) -> None:
    (run_folder / "rank1.log").write_text("".join(f"step {n} loss 2\n" for n in range(1, 23)))

    async def left(app: Any) -> None:
        await app.send("/look")

    async def back(app: Any) -> None:
        assert "Fixed" not in app.said
        assert "Too early to tell whether “CUDA out of memory” is mended: step 1;" in app.said

    drive(left, collect(["run1"]))
    written_later(run_folder / "train.log", "step 1 loss 2.0 of 300\n")
    drive(back, Case(), resume="s1")


def test_one_that_was_only_copied_again_does_neither(drive: Drive, run_folder: Path) -> None:
    text = "".join(f"step {n} loss 2\n" for n in range(1, 23))
    (run_folder / "rank1.log").write_text(text)

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "rank1.log", text)
        written_later(run_folder / "train.log", "step 1 loss 2.0 of 300\n")
        await app.send("1")
        assert "Fixed" not in app.said
        assert "Too early to tell whether “CUDA out of memory” is mended: step 1;" in app.said

    drive(script, collect(["run1"]))


def _disk(look: Any) -> Iterator[Any]:
    for file in look.files("log"):
        for number, row in look.lines(file.path):
            if "No space left" in row:
                yield Finding("training-hangs", "present", {}, Source(file.name, number))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> None:
    every = medic.runner.registry.all_probes()
    probes = (*every, Probe("disk", ("training-hangs",), _disk))
    monkeypatch.setattr(medic.runner.registry, "all_probes", lambda: probes)


FULL = "step 1 loss 2.0\nOSError: No space left on device\n"
THROUGH = "step 1 loss 2.0\nstep 2 loss 1.9\nstep 3 loss 1.8\n"


@pytest.mark.parametrize("by_medic", [True, False])
def test_each_earlier_fault_that_a_run_has_passed_is_gone(
    drive: Drive, case: Case, run_folder: Path, disk: None, by_medic: bool
) -> None:
    async def script(app: Any) -> None:
        if by_medic:
            await app.press("f4", "a")
        written_later(run_folder / "train.log", FULL)
        await app.send("/look")
        assert "Gone with this run" not in app.said
        written_later(run_folder / "train.log", THROUGH, minutes=2)
        await app.send("/look")
        assert "Fixed, as far as the new log shows: no more “Training hangs”" in app.said
        of = ", since c1" if by_medic else ""
        assert f"Gone with this run as well: “CUDA out of memory”{of} (step 3, past" in app.said
        await app.press("f8")
        assert ("no longer showed “CUDA out of memory”" in app.said) == by_medic

    drive(script, case)


@pytest.mark.parametrize("words", ["I have put it there as well", "what a nice day today"])
def test_a_change_that_was_made_by_hand_where_the_run_reads_it_counts(
    drive: Drive, run_folder: Path, words: str
) -> None:
    (run_folder / "launch.sh").write_text("torchrun train.py --config /job/train.yaml\n")

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(run_folder / "train.log", "step 1 loss 2.1\nCUDA out of memory\n")
        await app.send("1")
        assert "the run need not have had the change c1" in app.said
        await app.send(words)
        rest = app.said.rpartition(words)[2]
        assert "I made the change in /job/train.yaml by hand" in rest
        await app.send("4")
        assert "The same again: “CUDA out of memory” is still there." in app.said
        assert app.app.talk.consultation.session.tried == ["fix-micro-batch-too-large"]

    drive(script, collect(["run1"]))


def test_a_log_that_differs_by_its_times_is_not_said_to_be_the_same_to_the_byte(
    drive: Drive, run_folder: Path
) -> None:
    log = run_folder / "train.log"
    body = "CUDA out of memory\n" + "  at train.py\n" * 60
    log.write_text("2026-11-29 08:00:01 begins\nstep 1 loss 2\n" + body)

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        written_later(log, "2026-11-29 09:10:11 begins\nstep 1 loss 2\n" + body)
        await app.send("1")
        assert "byte for byte" not in app.said
        assert "The new log is the same log but for its times." in app.said

    drive(script, collect(["run1"]))
