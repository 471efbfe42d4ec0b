"""/new: a fresh consultation in the same app, over the same files or others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case, collect
from medic.session.saved import listed

Drive = Callable[..., None]


def test_nothing_that_was_said_holds_and_the_session_before_is_kept(
    drive: Drive, case: Case
) -> None:
    async def script(app: Any) -> None:
        await app.send("my training hangs, why?")
        await app.send("2")
        talk = app.app.talk.consultation
        assert talk.session.answers
        await app.send("/new")
        assert "The one before is kept: /resume s1" in app.said
        assert not talk.session.answers
        assert not talk.session.words
        assert not talk.moves
        after = app.said.partition("The one before is kept")[2]
        assert "Found in run1 (2)" in after
        assert "CUDA out of memory" in after
        assert app.app.talk.choices is not None
        await app.send("1")
        assert {s.id for s in listed()} == {"s1", "s2"}

    drive(script, case)


def test_the_files_are_those_that_are_there_now(drive: Drive, case: Case, run_folder: Path) -> None:
    async def script(app: Any) -> None:
        (run_folder / "rank1.log").write_text("step 1 loss 2.0\n")
        await app.send("start over")
        after = app.said.partition("A fresh consultation")[2]
        assert "Found in run1 (3)" in after

    drive(script, case)


def test_another_path_is_another_run(drive: Drive, case: Case, run_folder: Path) -> None:
    other = run_folder.with_name("run2")
    other.mkdir()
    (other / "train.log").write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")

    async def script(app: Any) -> None:
        await app.send("/new run2")
        after = app.said.partition("A fresh consultation")[2]
        assert "Found in run2 (1)" in after
        assert "CUDA out of memory" not in after
        assert "run2" in app.screen()[0]
        await app.send("/new nowhere")
        assert "nothing to read in nowhere" in app.said
        assert app.app.talk.consultation.session.case.root == "run2"

    drive(script, case)


def test_without_files_it_asks_what_goes_wrong(drive: Drive) -> None:
    async def script(app: Any) -> None:
        await app.send("1")
        await app.send("/new")
        assert app.app.talk.choices.kind == "complaint"
        assert app.app.talk.consultation.session.complaints == []
        await app.send("4")
        assert app.app.talk.consultation.session.complaints == ["training-hangs"]

    drive(script, Case())


def test_over_a_folder_with_nothing_to_read_what_was_said_is_gone_as_well(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)

    async def script(app: Any) -> None:
        await app.send("4")
        await app.send("/new")
        assert "A fresh consultation" in app.said
        assert "nothing to read in" not in app.said
        assert app.app.talk.choices.kind == "complaint"
        assert app.app.talk.consultation.session.complaints == []
        await app.send("1")
        assert {s.id for s in listed()} == {"s1", "s2"}

    drive(script, Case(root=".", paths=(".",)))


def test_a_value_of_the_command_line_holds_and_one_that_was_said_does_not(
    drive: Drive, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.send("micro batch size 2")
        talk = app.app.talk.consultation
        assert talk.session.case.given == {"seq_length": 1024, "micro_batch_size": 2}
        await app.send("/new")
        assert talk.session.case.given == {"seq_length": 1024}

    drive(script, collect(["run1"], given={"seq_length": 1024}))
