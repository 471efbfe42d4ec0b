"""What asks something of the talk leads there, and no question is of lines that are not there."""

from __future__ import annotations

from typing import Any

import pytest

from medic.index.knowledge import load

INDEX = load()


@pytest.mark.parametrize("words", ["what would change your mind?", "要看到什么你才会改变判断？"])
def test_what_would_change_the_verdict_is_answered(oom: Any, words: str) -> None:
    asked = oom.say("/why").partition("[medic]")[2]
    assert asked
    assert oom.say(words).partition("[medic]")[2] == asked


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what would change your mind?", "What would change my mind"),
        ("什么会让你改变判断？", "What would change my mind"),
        ("why do you think so?", "What would change my mind"),
        ("what now?", "Lower the micro batch"),
        ("接下来怎么办", "Lower the micro batch"),
        ("can i just use expandable segments?", "none of the remedies"),
        ("能不能直接用 expandable segments？", "none of the remedies"),
    ],
)
def test_what_asks_something_leads_there(oom: Any, words: str, told: str) -> None:
    assert told in oom.say(words)
    assert oom.talk.session.words == ""


def test_nothing_confirms_what_is_not_established(oom: Any) -> None:
    assert oom.talk.found is not None
    assert oom.talk.found.verdict == "likely"
    assert "confirms it" not in oom.say("/why")


def test_no_question_is_of_lines_that_are_not_there(oom: Any) -> None:
    session = oom.talk.session
    assert "zero-loss-gradient" not in {look.name for look in session.open_looks()}
    session.complain_of("loss-is-zero", "")
    assert "zero-loss-gradient" in {look.name for look in session.open_looks()}


def test_nobody_is_asked_what_a_traceback_says_that_was_read(oom: Any) -> None:
    opened = {look.name for look in oom.talk.session.open_looks()}
    assert not opened & {"oom-place", "exception-kind", "exception-place"}
    assert "changed-since-good" in opened
