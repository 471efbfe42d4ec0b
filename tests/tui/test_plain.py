"""The consultation as lines: what the app can do, a line at a time."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import plain
from medic.tui.desk import Opening

from medic.case.collect import Case
from medic.index.knowledge import Index
from medic.report.console import Console

Talk = Callable[..., str]


@pytest.fixture
def talk(
    index: Index, case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Talk:
    """Types lines into the consultation; what it printed."""

    def run(*lines: str, **more: Any) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(line + "\n" for line in lines)))
        plain.PlainTalk(Opening(lambda: index, case, **more), Console()).run()
        return capsys.readouterr().out

    return run


def test_it_asks_answers_and_explains_as_the_app_does(talk: Talk) -> None:
    out = talk("?", "3", "/why", "/graph", "/change", "/report", "/wy")
    for part in (
        "Likely, not established",
        "How to look",
        "Another process holds the GPU",
        "What would change my mind",
        "Another process holds the GPU (MEM-003)",
        "What you have said so far:",
        "Hand-over report",
        "did you mean “/why”?",
    ):
        assert part in out, part
    assert "/why the reason" in out
    assert "f3" not in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", out)


def test_a_change_is_seen_written_and_taken_back(talk: Talk, run_folder: Path) -> None:
    config = run_folder / "train.yaml"
    before = config.read_text()
    out = talk("/patch", "", "/patch", "w", "/patch", "a", "/undo", "1")
    assert out.count("+micro_batch_size: 4") == 4
    assert "Nothing was changed." in out
    assert Path("medic-fix-micro-batch-too-large.patch").exists()
    assert "Applied c1" in out
    assert "Restored: change c1 of run1/train.yaml is taken back." in out
    assert config.read_text() == before


def test_a_language_and_a_word_of_the_screen(talk: Talk) -> None:
    out = talk("/lang zh", "/copy", "/help", "/quit", "/why")
    assert "/copy 只在全屏应用中可用。" in out
    assert "/patch 编号" in out
    assert "首选原因" not in out  # it was left before


def test_no_widget_is_loaded() -> None:
    import subprocess

    words = "import sys, medic.tui.plain, medic.tui.orders; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_an_answer_may_be_given_in_words(talk: Talk) -> None:
    out = talk("不清楚", "/change", "/undo", "another process holds it", "/change")
    assert "Who holds the memory: I don't know" in out
    assert "Who holds the memory: another process holds it" in out
    assert "No symptom that medic knows" not in out


@pytest.mark.parametrize("word", ["quit", "exit", "Quit", "/exit", "退出"])
def test_who_says_quit_leaves(talk: Talk, word: str) -> None:
    said = talk(word, "2")
    assert "this process needs it" in said
    assert "Established" not in said


def test_words_for_help_and_why_are_no_description(talk: Talk) -> None:
    said = talk("help", "why?")
    assert "/patch N" in said
    assert "Why this question" in said
    assert "No symptom" not in said


def test_what_is_said_of_the_demo_is_kept_as_such(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[bool] = []

    def keep(*_: object, demo: bool) -> str:
        kept.append(demo)
        return ""

    monkeypatch.setattr("medic.session.unheard.keep", keep)
    talk("it hangs", demo=True)
    talk("it hangs")
    assert kept == [True, False]
