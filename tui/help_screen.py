"""Keys and words, made from the table of actions."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from medic.i18n import plain

from . import words_more
from .actions import ACTIONS, keys_of, usage
from .lines import Block, Line, pad
from .transcript import BlockView

WORD_WIDTH = 18
KEY_WIDTH = 13


def table() -> Block:
    """One row an action: what to type, the key, what it does."""
    lines = [Line(words_more.HELP_TITLE, "strong")]
    for action in ACTIONS:
        typed = pad(str(usage(action)), WORD_WIDTH)
        lines.append(Line(action.help, "plain", typed + pad(keys_of(action), KEY_WIDTH)))
    lines += [Line(text, "muted") for text in words_more.HELP_TALK]
    lines.append(Line(plain(" ".join(str(words_more.HELP_CLOSE).split())), "accent"))
    return Block("bare", tuple(lines))


class HelpScreen(ModalScreen[None]):
    """Scrolls by keys; esc closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "dismiss", show=False),
        Binding("up", "scroll('up')", show=False),
        Binding("down", "scroll('down')", show=False),
        Binding("pageup", "scroll('page_up')", show=False),
        Binding("pagedown", "scroll('page_down')", show=False),
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help", can_focus=False):
            yield BlockView(table())

    def action_scroll(self, way: str) -> None:
        getattr(self.query_one("#help", VerticalScroll), f"scroll_{way}")(animate=False)
