"""What was told is not told again, and what one can do next is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import words
from medic.tui.bars import Progress, lit
from medic.tui.events import Suspect, Working
from medic.tui.hints import hint
from medic.tui.patch_screen import PatchHead
from medic.tui.written import number

from medic.case.collect import Case
from medic.errors import KnowledgeError
from medic.i18n import Lang, Text, plain, use
from medic.index.knowledge import Index
from medic.run_config import Change

Drive = Callable[..., None]


def test_a_word_that_changes_nothing_repeats_no_remedy(
    drive: Drive, case: Case, exact: None
) -> None:
    async def script(app: Any) -> None:
        await app.send("/look")
        before = app.said.count("one restart")
        await app.send("it hangs, too")
        await app.send("/undo")
        assert app.said.count("one restart") == before
        assert "What to do is as told above:" in app.said

    drive(script, case)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Change("flag:--lrate", "--lrate", "--lr", plain("typo")), "--lrate -> --lr (typo)"),
        (Change("flag:--x", "--x", None, plain("unknown")), "--x: left out (unknown)"),
        (Change("flag-value:--bf16", "true", None, plain("a switch")), "--bf16 true -> --bf16"),
        (Change("num_workers", 0, 8, plain("cores")), "num_workers: 0 -> 8 (cores)"),
    ],
)
def test_a_change_is_told_in_the_words_of_the_file(change: Change, told: str) -> None:
    assert str(number(change).text).startswith(told)


def test_no_reason_has_no_brackets() -> None:
    text = number(Change("activation_checkpointing", None, True, Text("", ""))).text
    assert (text.en, text.zh) == (
        "activation_checkpointing: ? -> true",
        "activation_checkpointing：? -> true",
    )


def test_only_almost_certain_has_a_full_bar() -> None:
    title = Text("x", "x")
    assert lit(Suspect(title, "X", "almost-certain", 0.97)).count("█") == 5
    assert lit(Suspect(title, "X", "likely", 0.97)).count("█") == 4


def test_the_change_is_pointed_at_beside_a_question_that_does_not_bear_on_it() -> None:
    assert "f4" in str(hint(3, {"change"}, question=True))
    assert "f4" not in str(hint(3, (), question=True))


def test_a_slow_first_start_says_why(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medic.tui.bars.SLOW", 0.0)
    monkeypatch.setattr("medic.tui.bars.TICK", 0.02)

    async def script(app: Any) -> None:
        bar = app.app.talk.query_one(Progress)
        bar.take(Working(words.LOADING))
        await app.until(
            lambda: "compiling the knowledge, once for a version" in "\n".join(app.screen())
        )

    drive(script, Case())


def test_the_patch_of_a_file_that_the_run_does_not_read_says_so(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    other = run_folder.parent / "elsewhere" / "train.yaml"
    (run_folder / "launch.sh").write_text(f"python train.py --config {other}\n")

    async def script(app: Any) -> None:
        await app.press("f4")
        shown = " ".join("\n".join(app.screen()).split())
        assert "The run reads" in shown
        assert "costs: one restart" in shown
        assert app.app.screen.query_one(PatchHead)

    from medic.case.collect import collect

    drive(script, collect(["run1"]))


@pytest.mark.parametrize("width", [40, 60, 70, 80])
def test_how_to_leave_stays_in_the_row_of_keys(width: int) -> None:
    from medic.tui.bars import KeyBar

    cells = KeyBar().cells(width)
    assert cells[-1][2].word == "quit"
    assert cells[-1][1] <= width


def test_suspects_are_compared_by_their_numbers(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/compare 1 2")
        assert "What was seen, for (+) or against (-) A and B" in app.said

    drive(script, case)


def test_a_cause_is_ruled_out_from_the_row_of_its_remedy(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("f7", "down", "down", "x")
        assert "Ruled out by you: The micro batch does not fit" in app.said
        assert "graph" not in type(app.app.screen).__name__.lower()

    drive(script, case)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_takes_long_shows_a_clock_and_the_first_start_fits_80_columns(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch, lang: Lang
) -> None:
    gate, clock = threading.Event(), [1000.0]
    monkeypatch.setattr("medic.tui.bars.TICK", 0.02)
    monkeypatch.setattr("medic.tui.bars.monotonic", lambda: clock[0])  # the machine may be slow

    def load() -> Index:
        gate.wait(20)
        raise KnowledgeError("late", "迟到")

    async def script(app: Any) -> None:
        bar = app.app.talk.query_one(Progress)
        await app.until(lambda: bar.state.what == words.LOADING)
        clock[0] += 75
        await app.until(lambda: bar.state.what == words.LOADING_LONG)
        row = next(row for row in app.screen() if str(words.LOADING_LONG)[:9] in row)
        assert str(words.LOADING_LONG) in row
        assert "1:15" in row
        gate.set()

    use(lang)
    drive(script, case, load=load, wait=False)
