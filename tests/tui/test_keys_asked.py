"""What a key does is known to the app; a sentence about a run that has such a word asks of no key."""

from __future__ import annotations

from typing import Any

import pytest
from medic.tui.keys_asked import told_of_key


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what does f3 do?", "f3: why this question"),
        ("What is F4 for?", "f4: preview the change"),
        ("what does the f10 key do", "f10, ctrl+q: leave medic"),
        ("what does /why do?", "f3: why this question"),
        ("f3 是干什么的？", "f3: why this question"),
        ("f5键有什么用", "f5: what each probe found"),
        ("what does f12 do?", "f12 does nothing here"),
    ],
)
def test_what_a_key_does_is_told(words: str, told: str) -> None:
    block = told_of_key(words)
    assert block is not None
    assert block.lines[0].text.en.startswith(told)


@pytest.mark.parametrize(
    "words",
    [
        "what does f1 score of 0.3 mean?",
        "f1 从 0.9 掉到 0.3",
        "what does the loss do?",
        "why does it crash with SIGTERM",
        "/why",
        "what is f1?",
    ],
)
def test_other_sentences_ask_of_no_key(words: str) -> None:
    assert told_of_key(words) is None


def test_the_talk_answers(talk: Any) -> None:
    assert "why this question" in talk().say("what does f3 do?")
