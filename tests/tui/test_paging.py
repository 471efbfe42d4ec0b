"""Questions with more answers than a small screen has rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.events import Asked, Choices, Told
from medic.tui.lines import Block, Line, asking, plain_text, said
from medic.tui.paging import Paged
from medic.tui.telling import numbered

from medic.case.collect import Case
from medic.i18n import Text, plain

Drive = Callable[..., None]
MANY = tuple(
    (str(i), plain(f"answer {i} " + "that takes two rows of a narrow screen " * 2))
    for i in range(1, 12)
)


def ask(app: Any) -> None:
    below = Line(plain("(about 1 min; ? how to look)"), "muted")
    block = asking((Line(plain("Which is it?"), "strong"),), numbered(MANY), (below,))
    app.app.talk.happened_now(Told(block))
    app.app.talk.happened_now(Asked(Choices("answer", "x", MANY, plain("how"))))


@pytest.mark.parametrize("height", [12, 16, 24])
def test_the_question_its_answers_and_the_keys_are_in_sight(
    drive: Drive, case: Case, height: int
) -> None:
    async def script(app: Any) -> None:
        ask(app)
        await app.settle()
        seen = ""
        for _ in range(12):
            shown = "\n".join(app.screen())
            assert "Which is it?" in shown
            assert "f1 Help" in shown
            assert "answer 1-11" in shown
            seen += shown
            if "to 11 of 11" in shown:
                break
            await app.press("pagedown")
        assert all(f"{i}  answer {i} " in seen for i in range(1, 12))
        await app.press("pagedown")
        assert "Which is it?" in "\n".join(app.screen())
        await app.send("2")
        assert "2  answer 2" in app.talk()

    drive(script, case, size=(80, height))


def test_notes_below_a_question_leave_it_in_sight(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        ask(app)
        await app.send("77")
        shown = "\n".join(app.screen())
        assert "Which is it?" in shown
        assert "Answer with a number from 1 to 11." in shown

    drive(script, case)


def test_a_question_that_fits_has_no_pages() -> None:
    block = asking((Line(plain("Which?")),), numbered(MANY[:2]))
    assert Paged(block, 80, 10, 0).pages == 1
    assert Paged(block, 80, 4, 0).pages == 2
    told = asking((Line(Text("Which?", "哪个？")),), numbered(MANY))
    assert "11  answer 11" in plain_text([(told, 0)])


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
def test_what_is_wrong_with_keys_pushes_no_question_away(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    names = ("why", "patch", "copy", "graph", "undo", "look", "files", "report", "theme")
    wrong = "".join(f"{name} = 'ctrl+s'\n" for name in names)
    (tmp_path / "pyproject.toml").write_text(f"[tool.medic.keys]\n{wrong}")
    monkeypatch.chdir(tmp_path)

    async def script(app: Any) -> None:
        assert "that are not taken:" in app.said
        shown = "\n".join(app.screen())
        assert "What goes wrong?" in " ".join(shown.split())
        assert "/add PATH" in shown
        for number in range(1, 8):
            assert f" {number}  " in shown

    drive(script, Case(), size=size)


def test_what_is_told_at_length_leaves_no_room_for_pages(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        ask(app)
        app.app.talk.happened_now(Told(said(plain("\n".join("line" for _ in range(40))))))
        await app.settle()
        before = app.screen()
        await app.press("pagedown")
        assert app.screen() == before
        assert not any("to 11 of 11" in row or "page up show" in row for row in before)

    drive(script, case)


def test_what_stands_beside_is_told_in_short_where_it_pushes_the_verdict_away(
    drive: Drive, case: Case
) -> None:
    lines = tuple(Line(plain(f"long {i}")) for i in range(9))
    beside = Block("more", lines, stub=Line(plain("9 more lines")))

    async def script(app: Any) -> None:
        app.app.talk.transcript.to_end()
        for block in (said(plain("the verdict")), beside):
            app.app.talk.happened_now(Told(block))
        few = tuple((str(i), plain(f"answer {i}")) for i in range(1, 12))
        block = asking((Line(plain("Which is it?")),), numbered(few))
        app.app.talk.happened_now(Told(block))
        app.app.talk.happened_now(Asked(Choices("answer", "x", few)))
        await app.settle()
        small = app.app.size.height == 24
        shown = "\n".join(app.screen())
        assert ("9 more lines" in shown, "long 8" in shown) == (small, not small)

    for size in ((80, 24), (80, 60)):
        drive(script, case, size=size)


@pytest.mark.parametrize(("rows", "height"), [(8, 24), (12, 24), (6, 18)])
def test_what_to_do_stays_in_sight_of_a_question_with_many_answers(
    drive: Drive, case: Case, rows: int, height: int
) -> None:
    todo = tuple(Line(plain(f"to do, row {i}")) for i in range(rows))

    async def script(app: Any) -> None:
        app.app.talk.happened_now(Told(Block("medic", todo, beside=True)))
        ask(app)
        await app.settle()
        seen = ""
        for _ in range(12):
            shown = "\n".join(app.screen())
            assert "to do, row 0" in shown
            assert "Which is it?" in shown
            seen += shown
            if "to 11 of 11" in shown:
                break
            await app.press("pagedown")
        assert all(f"{i}  answer {i} " in seen for i in range(1, 12))

    drive(script, case, size=(80, height))


def test_who_reads_elsewhere_gets_long_steps_in_short_too(drive: Drive, case: Case) -> None:
    steps = tuple(Line(plain(f"step {i}")) for i in range(14))
    stub = Line(plain("f4 shows the steps"))

    async def script(app: Any) -> None:
        await app.press("pageup")
        app.app.talk.happened_now(Told(Block("medic", (Line(plain("to do now")),), beside=True)))
        app.app.talk.happened_now(Told(Block("more", steps, stub=stub, beside=True)))
        ask(app)
        await app.press("pagedown", "pagedown")
        shown = "\n".join(app.screen())
        assert "f4 shows the steps" in shown
        assert "to do now" in shown
        assert "step 13" not in shown

    drive(script, case)
