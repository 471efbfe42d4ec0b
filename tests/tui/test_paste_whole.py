"""A paste comes whole and in order, whatever escape sequences and line ends stand in it."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.tui.paste import PasteParser, take_whole
from textual import events
from textual.drivers import linux_driver
from textual.message import Message

from medic.case.collect import Case
from medic.text.pasted import readable

START, END = "\x1b[200~", "\x1b[201~"
COLOURED = "\x1b[31mRuntimeError: CUDA error: out of memory\x1b[0m\nsecond line\nthree\n"
BARE = "RuntimeError: CUDA error: out of memory\nsecond line\nthree\n"


def read(*chunks: str) -> list[str]:
    """What comes of the input: a paste as its text in brackets, a key by its name."""
    parser = PasteParser()
    return [_name(m) for chunk in chunks for m in parser.feed(chunk)]


def _name(message: Message) -> str:
    if isinstance(message, events.Paste):
        return f"<{message.text}>"
    return message.key if isinstance(message, events.Key) else type(message).__name__


def test_a_coloured_paste_is_one_event_between_the_keys() -> None:
    assert read(f"a{START}{COLOURED}{END}b") == ["a", f"<{COLOURED}>", "b"]
    assert readable(COLOURED) == BARE


@given(st.lists(st.integers(1, 90), max_size=5, unique=True))
def test_it_does_not_matter_how_it_is_cut_into_reads(cuts: list[int]) -> None:
    whole = f"a{START}{COLOURED}{END}b{START}\x1b[A\x1b{END}"
    places = [0, *sorted(cuts), len(whole)]
    chunks = [whole[a:b] for a, b in pairwise(places)]
    assert read(*chunks) == ["a", f"<{COLOURED}>", "b", "<\x1b[A\x1b>"]


@given(st.text().filter(lambda text: END not in text and "\x00" not in text))
def test_any_text_comes_as_it_is(text: str) -> None:
    if END not in text + END[:-1]:
        assert read(START + text + END) == [f"<{text}>"]


def test_keys_and_the_mouse_are_read_as_before() -> None:
    assert read("x\x1b[A\x1bOP\r", "\x1b[<0;3;4M") == ["x", "up", "f1", "enter", "MouseDown"]
    assert read(f"{START}{END}q") == ["<>", "q"]


def test_what_came_of_a_paste_is_kept_where_the_input_ends() -> None:
    assert read(f"{START}half", "") == ["<half>"]


@pytest.mark.parametrize("ends", ["\r", "\r\n", "\n"])
def test_every_kind_of_line_end_is_one(ends: str) -> None:
    assert readable(f"a{ends}b{ends}{ends}c") == "a\nb\n\nc"


def test_links_and_titles_are_no_text() -> None:
    assert (
        readable("\x1b]8;;http://x\x1b\\log\x1b]8;;\x1b\\ \x1b]0;title\x07\x1b(Bend") == "log end"
    )
    assert readable("a[31m b") == "a[31m b"


def test_a_driver_reads_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_driver, "XTermParser", PasteParser.__mro__[1])
    take_whole(linux_driver.LinuxDriver)
    assert vars(linux_driver)["XTermParser"] is PasteParser
    monkeypatch.delattr(linux_driver, "XTermParser")
    take_whole(linux_driver.LinuxDriver)
    assert not hasattr(sys.modules["textual.drivers.linux_driver"], "XTermParser")


@pytest.mark.parametrize("ends", ["\n", "\r"])
def test_the_app_reads_what_was_pasted(drive: Any, case: Case, ends: str) -> None:
    async def script(sight: Any) -> None:
        sight.prompt.post_message(events.Paste(COLOURED.replace("\n", ends)))
        await sight.settle()
        assert sight.prompt.text == BARE.rstrip("\n")

    drive(script, case)
