"""The answer is in the language of the words, unless one was asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from medic import i18n


@pytest.fixture(autouse=True)
def unasked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    kept = i18n._language[:], i18n._asked[:]
    i18n._language[:], i18n._asked[:] = [], []
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, "C.UTF-8")
    yield
    i18n._language[:], i18n._asked[:] = kept


def test_chinese_words_are_answered_in_chinese() -> None:
    i18n.follow("训练到一半卡住了，GPU 利用率 100%")
    assert i18n.current() == "zh"


def test_what_was_asked_for_stays() -> None:
    i18n.use("en")
    i18n.follow("训练到一半卡住了")
    assert i18n.current() == "en"


def test_english_words_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    i18n.follow("the training hangs")
    assert i18n.current() == "zh"
