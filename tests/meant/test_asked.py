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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("why this cause?", "What would change my mind"),
        ("为什么是这个原因？", "What would change my mind"),
        ("what does this mean?", "In short"),
        ("看不懂", "In short"),
        ("is it safe?", "costs: one restart"),
        ("这样改安全吗？", "costs: one restart"),
        ("怎么减小 micro batch 并增加累积步数？", "costs: one restart"),
        ("thanks!", "You are welcome. After the next run /look reads its log"),
        ("好的，谢谢", "You are welcome. After the next run /look reads its log"),
    ],
)
def test_what_is_said_after_a_remedy_is_understood(oom: Any, words: str, told: str) -> None:
    said = oom.say(words)
    assert told in said
    assert "[medic]" in said.partition(told)[0] + told
    assert "No symptom that medic knows" not in said
    assert oom.talk.session.words == ""


@pytest.mark.parametrize("words", ["apply it", "show me the patch", "帮我改", "应用这个修改"])
def test_who_asks_for_the_change_sees_it_before_it_is_written(oom: Any, words: str) -> None:
    before = (oom.folder / "config.yaml").read_text()
    oom.say("/patch")
    shown, oom.previewed = oom.previewed, None
    oom.say(words)
    assert shown is not None
    assert oom.previewed == shown
    assert (oom.folder / "config.yaml").read_text() == before


def test_a_sentence_with_news_is_no_courtesy(oom: Any) -> None:
    assert "You are welcome" not in oom.say("谢谢，但是评估的时候还是卡住")
    assert "You are welcome" not in oom.say("thanks, but it hangs at evaluation")


@pytest.mark.parametrize("words", ["it works now", "/look", "谢谢，改好了"])
def test_a_look_at_the_same_log_says_that_it_is_the_same(oom: Any, words: str) -> None:
    said = oom.say(words)
    assert "No log is new since the last look: " in said
    assert "train.log is as it was written at" in said
