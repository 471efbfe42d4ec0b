"""What of a talk is in sight where a question and what is told beside it do not fit the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.events import Asked, Choices, Told
from medic.tui.lines import Block, Line, asking, said
from medic.tui.telling import numbered

from medic.case.collect import Case
from medic.i18n import plain

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


def test_a_question_higher_than_the_screen_is_read_from_its_beginning(
    drive: Drive, case: Case
) -> None:
    async def script(app: Any) -> None:
        ask(app)
        await app.settle()
        first = "\n".join(app.screen())
        assert "Which is it?" in first
        assert "1  answer 1 " in first
        assert "page down" in first
        assert "1-11 and Enter answers" in first
        await app.press("pagedown")
        rest = "\n".join(app.screen())
        assert all(f" {i}  answer {i} " in first + rest for i in range(1, 12))
        await app.send("2")
        assert "2  answer 2" in app.talk()

    drive(script, case)


def test_below_a_high_question_the_talk_can_be_scrolled(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        ask(app)
        await app.send("77")
        assert "Answer with one number from 1 to 11." in "\n".join(app.screen())
        for _ in range(2):
            await app.press("pageup")
        assert "Which is it?" in "\n".join(app.screen())

    drive(script, case)


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


def test_what_to_do_is_read_before_a_question_that_is_optional(drive: Drive, case: Case) -> None:
    todo = tuple(Line(plain(f"to do, row {i}")) for i in range(12))

    async def script(app: Any) -> None:
        app.app.talk.happened_now(Told(said(plain("the verdict")), top=True))
        app.app.talk.happened_now(Told(Block("more", todo, beside=True)))
        ask(app)
        await app.settle()
        first = "\n".join(app.screen())
        assert "the verdict" in first
        assert "to do, row 11" in first
        await app.press("pagedown")
        assert "Which is it?" in "\n".join(app.screen())

    drive(script, case)
