"""Keys of the input, what comes back with an undone change, and errors that were passed over."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import after, held
from medic.tui.lines import Line, line_rows

from medic.case.collect import Case
from medic.i18n import plain
from medic.records import replace
from medic.session.against import AGAINST

Drive = Callable[..., None]
Talk = Callable[..., Any]
STEP = "2026-11-27 10:{:02}:{:02},100 [rank0] INFO train: step {}/600 loss {:.3f} lr 1.0e-04 grad_norm 1.0\n"
TRAINS = [STEP.format(n // 60, n % 60, n, 5 - n / 200) for n in range(600)]
FAILED = """Traceback (most recent call last):
  File "/job/train.py", line 120, in main
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.
"""


def test_ctrl_u_empties_a_wrapped_line_and_ctrl_d_says_how_to_leave(
    drive: Drive, case: Case
) -> None:
    async def script(app: Any) -> None:
        app.prompt.text = "word " * 60
        app.prompt.move_cursor(app.prompt.document.end)
        await app.press("ctrl+u")
        assert app.prompt.text == ""
        await app.press("ctrl+d")
        assert "ctrl+q, f10 or /quit leaves." in app.talk()

    drive(script, case)


def test_an_error_after_which_the_run_went_on_is_told(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    log = Path("run/train.log")
    log.write_text("".join([*TRAINS[:300], FAILED, *TRAINS[300:]]))
    one = talk("run")
    passed = "Seen, and passed over because the run went on after it: CUDA out of memory"
    assert f"{passed} run/train.log:304" in one.told()
    assert one.lead == ""
    log.write_text("".join(TRAINS))
    assert "passed over" not in talk("run").told()


def test_a_sentence_on_another_matter_is_no_contradiction(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the files establish stays established; that something else is wrong does not deny it."""
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/train.log").write_text(
        "[rank0]: RuntimeError: probability tensor contains either inf, nan or element < 0\n"
        "train.py: error: unrecognized arguments: --learning-rat 1e-4\n"
    )
    one = talk("run")
    line = one.talk.found.causes[0].evidence[0]
    assert line.weight not in AGAINST
    told = one.told
    for weight, matter in ((line.weight, True), ("rules-out", False)):
        before = len(one.events)
        held.hold(one.talk, f"it is slow {weight}", replace(line, weight=weight), {})
        assert ("does not speak against what the files establish" in told(before)) is matter
        assert ("the files show:" in told(before)) is not matter


def test_what_comes_back_with_an_undone_change_is_told(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Path("run")
    run.mkdir()
    (run / "config.yaml").write_text(
        "hidden_size: 2048\nnum_layers: 24\nnum_heads: 16\nvocab_size: 32000\n"
        "micro_batch_size: 64\ngradient_accumulation_steps: 1\nseq_len: 4096\n"
    )
    log = run / "train.log"
    log.write_text(TRAINS[0] + FAILED)
    one = talk("run")
    after.apply(one.talk, next(o for o in one.talk.offers() if o.fix.patch is not None))
    later = time.time() + 60
    log.write_text("".join(TRAINS).replace(" 10:", " 12:"))
    os.utime(log, (later, later))
    one.say("1")
    assert [a.shown for a in one.talk.session.applied] == ["gone"]
    one.say("/undo")
    told = one.say("1")
    assert "So “CUDA out of memory” is to be expected in the next run" in told


def test_what_is_typed_over_the_help_is_not_lost(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("f1")
        await app.pilot.press(*"it hangs")  # in one go: the screen is still there for some of it
        await app.settle()
        assert app.prompt.text == "it hangs"
        app.prompt.text = ""
        await app.press("f1", "q")
        assert app.prompt.text == ""
        await app.press("f4", "f1", "x", "escape", "escape")
        assert app.prompt.text == ""

    drive(script, case)


def test_a_cause_beside_an_answer_is_told_whole() -> None:
    title = "-> A batch whose labels are all masked gives 0/0 as its mean loss"
    line = Line(plain("yes, from the first step of the run on"), mark="1  ", aside=plain(title))
    for width in (40, 60, 80):
        text = ["".join(part for part, _ in row) for row in line_rows(line, width)]
        assert title in " ".join(" ".join(text).split())
        assert all(len(row) <= width for row in text)
    short = list(line_rows(Line(plain("yes"), mark="1  ", aside=plain("-> lr too high")), 40))
    assert len(short) == 1
