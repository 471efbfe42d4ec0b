"""Taking back a change whose files are no longer as it left them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case
from medic.edits import undo
from medic.edits.records import kept_of, load

Drive = Callable[..., None]
BEFORE = "model: small\nmicro_batch_size: 8\nseq_length: 4096\n"


@pytest.mark.parametrize("gone", [True, False])
def test_files_that_were_edited_or_deleted_are_asked_about(
    drive: Drive, case: Case, run_folder: Path, gone: bool
) -> None:
    config = run_folder / "train.yaml"

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        if gone:
            config.unlink()
        else:
            config.write_text("mine: 1\nmicro_batch_size: 3\n")
        await app.press("f8")
        assert "change c1 of run1/train.yaml was not taken back:" in app.said
        assert (
            "train.yaml was deleted since c1" if gone else "train.yaml has changed since c1"
        ) in app.said
        assert "--force" not in app.said  # what is told is not about a shell
        assert ("write what was deleted again" in app.said) is gone
        assert ("what they hold now is kept" in app.said) is not gone
        await app.send("1")
        assert "is taken back" in app.said
        assert config.read_text() == BEFORE
        assert ("What the file held before is kept in" in app.said) is not gone
        held = [path.read_text() for path in kept_of(load("c1"))]
        assert held == ([] if gone else ["mine: 1\nmicro_batch_size: 3\n"])

    drive(script, case)


def test_a_change_can_be_left_and_what_was_before_it_taken_back(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    config = run_folder / "train.yaml"

    async def script(app: Any) -> None:
        await app.send("2")
        await app.press("f4", "a")
        config.unlink()
        await app.press("f8")
        await app.send("2")
        assert "The files stay as they are; /undo goes on" in app.said
        await app.press("f8")
        assert "Taken back: Who holds the memory: this process needs it" in app.said

    drive(script, case)
    assert not config.exists()


def test_what_was_undone_beside_the_app_is_no_trouble(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.press("f4", "a")
        undo("c1")
        await app.press("f8")
        assert "change c1 of run1/train.yaml was undone already" in app.said
        assert "is taken back" not in app.said

    drive(script, case)
    assert (run_folder / "train.yaml").read_text() == BEFORE
