"""What the files speak against does not count until one insists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.i18n import use
from medic.index.knowledge import load

INDEX = load()


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "memory grows every step"), ("zh", "显存每步都在涨")]
)
def test_words_against_the_log_do_not_count_until_one_insists(
    oom: Any, lang: Any, words: str
) -> None:
    use(lang)
    told = oom.say(words)
    assert words in told
    assert "train.log:10" in told
    assert oom.leader == "micro-batch-too-large"
    assert oom.talk.session.told.held == [words]
    oom.say("/change 1")
    oom.say("1")
    assert oom.talk.session.told.held == []
    assert oom.leader == "gpu-memory-leak"


def test_words_that_came_before_the_log_are_held_against_it_too(
    talk_of: Callable[..., Any], oom_text: str, config_text: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.yaml").write_text(config_text)
    front = talk_of(folder)
    front.say("memory grows every step")
    assert "gpu-memory-grows" in front.talk.session.complaints
    (folder / "train.log").write_text(oom_text)
    told = front.say(f"/add {folder / 'train.log'}")
    assert "You say “memory grows every step”" in told
    assert front.talk.session.told.held == ["memory grows every step"]
    assert front.leader == "micro-batch-too-large"


def test_a_sentence_that_is_taken_out_takes_its_likeness_along(oom: Any) -> None:
    oom.say("memory grows every step")
    oom.say("/change 1")
    oom.say("1")
    oom.say("/change 1")
    assert oom.talk.session.words == ""
    assert oom.leader == "micro-batch-too-large"
