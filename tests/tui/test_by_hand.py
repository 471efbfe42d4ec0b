"""Settings that the user edits beside medic: no run had them yet."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from medic.tui.offers import Offer, first_change
from medic.tui.patch_screen import PatchHead

from medic.case.collect import Case, collect
from medic.i18n import Text, plain
from medic.report.saved_text import markdown, outcome
from medic.session.saved import listed

Drive = Callable[..., None]


def test_an_edit_that_no_run_had_leaves_the_verdict(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    config = run_folder / "train.yaml"

    async def script(app: Any) -> None:
        talk = app.app.talk.consultation
        before = talk.found
        config.write_text("model: small\nmicro_batch_size: 2\nseq_length: 4096\n")
        await app.send("/look")
        assert "run1/train.yaml has changed since this run" in app.said
        assert "Run again, then /look." in app.said
        assert "To check the new settings alone: medic lint run1/train.yaml" in app.said
        assert talk.found is before
        await app.send("world size 8")
        assert "what follows takes the file as it is now, which is not what ran" in app.said
        later = time.time() + 60
        (run_folder / "train.log").write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
        os.utime(run_folder / "train.log", (later, later))
        await app.send("/look")
        assert "Fixed, as far as the new log shows" in app.said

    drive(script, case)


@pytest.mark.parametrize("by_hand", [True, False])
def test_what_was_wrong_and_is_mended_is_told_to_who_takes_over(
    drive: Drive, case: Case, run_folder: Path, by_hand: bool
) -> None:
    async def script(app: Any) -> None:
        if by_hand:
            (run_folder / "train.yaml").write_text("micro_batch_size: 4\n")
        else:
            await app.press("f4", "a")
        later = time.time() + 60
        (run_folder / "train.log").write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
        os.utime(run_folder / "train.log", (later, later))
        await app.send("/look")
        assert "Fixed, as far as the new log shows" in app.said
        await app.send("/report")
        report = app.said.rpartition("Hand-over report")[2]
        assert "Fixed in this talk, as far as the logs show:" in report
        fault = "The micro batch does not fit (MEM-001): CUDA out of memory"
        assert f"{fault} {'by hand' if by_hand else 'by c1'}" in report
        [saved] = listed()
        assert str(outcome(saved)) == "Fixed: The micro batch does not fit (MEM-001)"
        assert fault in "\n".join(markdown(saved, [])).replace("\\", "")

    drive(script, case)


def test_what_medic_changed_itself_is_no_edit_by_hand(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("f4", "a")
        await app.send("/patch")
        await app.press("f8")
        await app.send("1")
        assert "is taken back" in app.said
        assert "has changed since" not in app.said

    drive(script, case)


def test_settings_that_are_newer_than_the_log_are_pointed_at(
    drive: Drive, run_folder: Path
) -> None:
    old = time.time() - 3 * 3600
    os.utime(run_folder / "train.log", (old, old))

    async def script(app: Any) -> None:
        assert "run1/train.yaml was changed 3.0 h after the log was last written" in app.said

    drive(script, collect(["run1"]))


def test_the_change_that_is_shown_first_is_that_of_the_first_remedy_or_says_why() -> None:
    def offer(number: int, *, patch: bool, safe: bool, against: Text | None = None) -> Offer:
        fix: Any = SimpleNamespace(patch=object() if patch else None, safe=safe, made=False)
        return Offer(number, "cause", plain(f"remedy {number}"), fix, against)

    first = offer(1, patch=True, safe=False)
    assert first_change([first, offer(2, patch=True, safe=True)]) is first
    by_hand, unsafe = offer(1, patch=False, safe=True), offer(2, patch=True, safe=False)
    shown = first_change([by_hand, unsafe, offer(3, patch=True, safe=True)])
    assert shown is not None
    assert shown.number == 3
    assert str(shown.instead) == ("This is remedy 3: the first one, “remedy 1”, is done by hand.")
    only = first_change([by_hand, unsafe])
    assert only is not None
    assert (only.number, only.instead is None) == (2, False)
    assert first_change([offer(1, patch=True, safe=True, against=plain("other"))]) is None


def test_a_change_in_place_of_the_first_remedy_says_so_on_its_screen() -> None:
    fix: Any = SimpleNamespace(
        diff="--- a\n+++ a\n-x: 1\n+x: 2\n", safe=False, filled=False, notes=(), changes=()
    )
    head = PatchHead(Offer(2, "cause", plain("two"), fix, instead=plain("This is remedy 2")))
    rows = ["".join(text for text, _ in row) for row in head.whole(76)]
    assert rows[1] == "This is remedy 2"
