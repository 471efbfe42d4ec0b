"""One table of actions: complete in both languages, no key twice, no key that others hold."""

from __future__ import annotations

import re

import pytest
from medic.tui import words, words_more
from medic.tui.actions import ACTIONS, AVOIDED, Action, completed, keys_of, usage
from medic.tui.app import THEMES, MedicApp
from medic.tui.help_screen import table
from medic.tui.orders import ORDERS
from medic.tui.prompt import Prompt
from medic.tui.talk_screen import TalkScreen
from textual.binding import Binding
from textual.theme import BUILTIN_THEMES

from medic.i18n import Text

HAN = re.compile(r"[\u4e00-\u9fff]")
HOLE = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("action", ACTIONS, ids=lambda a: a.word)
def test_every_action_has_both_languages(action: Action) -> None:
    for text in (action.title, action.help):
        assert text.en.isascii()
        assert HAN.search(text.zh)
    assert "[" not in action.help.en + action.help.zh


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("/rep", "/report"),
        ("/ad", "/add "),
        ("/wal", "/walk "),
        ("/r", "/r"),
        ("/res", "/resume "),
        ("/", "/"),
        ("/zzz", "/zzz"),
        ("loss", "loss"),
    ],
)
def test_tab_completes_a_word(typed: str, whole: str) -> None:
    assert completed(typed) == whole


def test_no_word_and_no_key_twice() -> None:
    assert len({a.word for a in ACTIONS}) == len(ACTIONS)
    keys = [key for a in ACTIONS for key in a.keys]
    assert len(set(keys)) == len(keys)


def _bound(bindings: object) -> set[str]:
    assert isinstance(bindings, list)
    return {key.strip() for b in bindings if isinstance(b, Binding) for key in b.key.split(",")}


def test_no_key_that_multiplexers_and_terminals_keep() -> None:
    screen, prompt, app = (_bound(c.BINDINGS) for c in (TalkScreen, Prompt, MedicApp))
    for keys in (screen, prompt, app):
        assert not keys & AVOIDED
    assert not screen & prompt, "the focused prompt would take the key"
    assert MedicApp.COMMAND_PALETTE_BINDING == "f2"


def test_every_action_is_bound_and_done() -> None:
    bound = _bound(TalkScreen.BINDINGS)
    here = {"help", "commands", "copy", "stop", "theme", "lang", "quit"}
    for action in ACTIONS:
        assert set(action.keys) <= bound
        assert action.word in here | set(ORDERS)
    assert set(ORDERS) <= {a.word for a in ACTIONS}


def test_the_help_lists_every_action() -> None:
    shown = "\n".join(line.mark + str(line.text) for line in table().lines)
    for action in ACTIONS:
        assert str(usage(action)) in shown
        assert keys_of(action) in shown


def _texts(value: object) -> list[Text]:
    if isinstance(value, Text):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _texts(v)]
    if isinstance(value, tuple):
        return [t for v in value for t in _texts(v)]
    return []


@pytest.mark.parametrize("module", [words, words_more], ids=lambda m: m.__name__)
def test_texts_take_the_same_values_in_both_languages(module: object) -> None:
    texts = [t for name, v in vars(module).items() if name.isupper() for t in _texts(v)]
    assert len(texts) > 40
    for text in texts:
        assert text.en
        assert text.zh
        assert set(HOLE.findall(text.en)) == set(HOLE.findall(text.zh)), text


HALF = re.compile(r"[\u4e00-\u9fff\u201d\uff09][,:;()?!]|[,:;()?!][\u4e00-\u9fff\u201c\uff08]")


def _chinese() -> list[tuple[str, str]]:
    """(file, Chinese literal) of the whole app."""
    import ast
    from pathlib import Path

    import medic.tui

    found = []
    for file in sorted(Path(next(iter(medic.tui.__path__))).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found += [(file.name, node.value)] if HAN.search(node.value) else []
    return found


def test_chinese_has_full_width_punctuation() -> None:
    texts = _chinese()
    assert len(texts) > 100
    assert [t for t in texts if HALF.search(t[1])] == []
    assert HALF.search("\u65e5\u5fd7:")


def test_the_themes_exist() -> None:
    assert set(THEMES) <= set(BUILTIN_THEMES)


def test_the_style_sheet_names_no_colour() -> None:
    from pathlib import Path

    import medic.tui

    sheet = Path(next(iter(medic.tui.__path__))) / "medic.tcss"
    for row in sheet.read_text("utf-8").split("\n"):
        found = re.match(r".*\b(?:color|background|border[\w-]*):\s*([^;]+);", row)
        if found:
            assert "$" in found[1], row
