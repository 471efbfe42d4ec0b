"""Keys and words, made from the table of actions."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from medic.i18n import Text

from .help_table import table
from .said_rows import BlockView


class HelpScreen(ModalScreen[None]):
    """Keys of what is focused; scrolls by keys; esc closes."""

    def __init__(self, of: str = "", waits: Text | None = None) -> None:
        super().__init__()
        self._block = table(of, waits)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "dismiss", show=False),
        Binding("up", "scroll('up')", show=False),
        Binding("down", "scroll('down')", show=False),
        Binding("pageup", "scroll('page_up')", show=False),
        Binding("pagedown", "scroll('page_down')", show=False),
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help", can_focus=False):
            yield BlockView(self._block)

    def action_scroll(self, way: str) -> None:
        getattr(self.query_one("#help", VerticalScroll), f"scroll_{way}")(animate=False)
