"""Words that stand for an option of the open question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.tui.events import Choices
from medic.tui.replies import place_of

from medic.case.collect import Case
from medic.i18n import Text

Drive = Callable[..., None]

CHECK = Choices(
    "answer",
    "who",
    (
        ("need", Text("this process needs it", "本进程确实需要")),
        ("other", Text("another process holds it", "被其他进程占用")),
        ("other-node", Text("another process of a node", "其他节点的进程占用")),
        ("", Text("I don't know", "不知道")),
    ),
)
YES_NO = Choices(
    "answer",
    "training-hangs",
    (("present", Text("yes", "是")), ("absent", Text("no", "否")), ("", Text("?", "?"))),
)
MEANING = Choices(
    "meaning", "odd", (("x", Text("Training hangs", "训练卡住")), ("", Text("-", "-")))
)


@pytest.mark.parametrize(
    "words",
    [
        "I don't know",
        "i don’t know.",
        "i dont know",
        "dunno",
        "no idea",
        "Not sure",
        "不知道",
        "不清楚。",
        "不确定",
        "skip",
        "跳过",
    ],
)
def test_not_knowing_has_many_words(words: str) -> None:
    assert place_of(words, CHECK) == 3
    assert place_of(words, YES_NO) == 2
    assert place_of(words, MEANING) is None


@pytest.mark.parametrize(
    ("words", "place"),
    [("yes", 0), ("Y", 0), ("是", 0), ("有", 0), ("no", 1), ("否", 1), ("没有", 1), ("No.", 1)],
)
def test_yes_and_no_answer_what_is_present_or_absent(words: str, place: int) -> None:
    assert place_of(words, YES_NO) == place
    assert place_of(words, CHECK) is None


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("this process needs it", 0),
        ("This process", 0),
        ("本进程确实需要", 0),
        ("another process holds", 1),
        ("another process", None),  # of two
        ("thi", None),  # too short
        ("the process needs it", None),
        ("this process needs it and more", None),
        ("...", None),
    ],
)
def test_an_option_is_taken_by_its_words_or_their_beginning(words: str, place: int | None) -> None:
    assert place_of(words, CHECK) == place


def test_the_app_takes_words_as_the_answer(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("dunno")
        assert session.unknown == ["oom-shortfall"]
        assert "[you]    4  I don't know" in app.talk()
        assert "No symptom that medic knows" not in app.talk()
        await app.press("f8")
        await app.send("yes")
        assert "This is no yes-or-no question" in app.talk()
        await app.send("this process")
        assert session.answers == [("oom-shortfall", "genuine-need")]
        await app.send("不知道")
        assert "Nothing is asked just now." in app.talk()

    drive(script, case)
