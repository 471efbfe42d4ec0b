"""What is claimed of the talk: it is not that, this was tried, no, it was so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.index.knowledge import load
from medic.session.said import said, say_again

INDEX = load()


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("it is not the batch size, I checked", "micro-batch-too-large"),
        ("not the batch size, I checked", "micro-batch-too-large"),
        ("不是这个原因", "micro-batch-too-large"),
        ("it is not this", "micro-batch-too-large"),
        ("it is not a leak", "gpu-memory-leak"),
        ("不是显存泄漏", "gpu-memory-leak"),
        ("/ruleout 1", "micro-batch-too-large"),
        ("/ruleout MEM-005", "gpu-memory-leak"),
    ],
)
def test_a_cause_is_ruled_out_by_hand_and_taken_back(oom: Any, words: str, cause: str) -> None:
    oom.say(words)
    assert list(oom.talk.session.told.ruled) == [cause]
    assert oom.talk.found is not None
    out = {c.name: c for c in oom.talk.found.ruled_out}
    assert str(out[cause].pruned_by.text) == "ruled out by you"
    assert cause not in [c.name for c in oom.talk.found.causes]
    kept = said(oom.talk.session)
    oom.say("/change 1")
    assert oom.talk.session.told.ruled == {}
    assert oom.leader == "micro-batch-too-large"
    say_again(oom.talk.session, kept)
    assert list(oom.talk.session.told.ruled) == [cause]


@pytest.mark.parametrize("words", ["not a single NaN", "it is not the first time", "没有 NaN"])
def test_a_denied_symptom_is_no_cause_ruled_out(oom: Any, words: str) -> None:
    oom.say(words)
    assert oom.talk.session.told.ruled == {}


def test_f8_takes_a_ruling_back(oom: Any) -> None:
    oom.say("/ruleout 1")
    assert oom.leader != "micro-batch-too-large"
    oom.say("/undo")
    assert oom.leader == "micro-batch-too-large"


@pytest.mark.parametrize(
    "words", ["I already halved the batch and it did not help", "我已经把 batch 减半了，没用"]
)
def test_what_was_tried_in_vain_counts_as_tried(oom: Any, words: str) -> None:
    oom.say(words)
    assert oom.talk.session.tried == [
        oom.talk.session.index.causes["micro-batch-too-large"].remedies[0]
    ]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("it hung while a checkpoint was saved", "no, it hung during evaluation"),
        ("卡在保存检查点的时候", "不对，是评估的时候卡住的"),
    ],
)
def test_a_correction_takes_the_place_of_the_sentence_before(
    oom: Any, first: str, then: str
) -> None:
    session = oom.talk.session
    oom.say(first)
    assert session.told.answered["stall-point"].outcome == "saving"
    oom.say(then)
    assert session.told.answered["stall-point"].outcome == "evaluation"
    assert first not in session.words


def test_a_bare_slow_is_slow_and_no_fall(oom: Any) -> None:
    oom.say("it is slow")
    assert "throughput-drops" not in oom.talk.session.told.reported
    assert "training-slow" in oom.talk.session.told.reported


@pytest.mark.parametrize("words", ["不确定", "not sure", "no idea", "dunno"])
def test_not_knowing_is_an_answer(
    talk_of: Callable[..., Any], oom_text: str, tmp_path: Path, words: str
) -> None:
    (tmp_path / "train.log").write_text(oom_text.splitlines()[-1] + "\n")
    front = talk_of(tmp_path / "train.log")
    asked = front.choices
    assert asked is not None
    front.say(words)
    assert front.talk.session.unknown == [asked.name]
