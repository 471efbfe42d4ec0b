"""Keys and words, made from the table of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from medic.i18n import Text

from .help_table import table
from .said_rows import BlockView


class HelpScreen(ModalScreen[None]):
    """Keys of what is focused; scrolls by keys; esc closes."""

    def __init__(
        self, of: str = "", waits: Text | None = None, typed: Callable[[str], None] | None = None
    ) -> None:
        """``typed`` takes what is typed on over it."""
        super().__init__()
        self._block, self._typed = table(of, waits), typed
        self._left = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "dismiss", show=False),
        Binding("up", "scroll('up')", show=False),
        Binding("down", "scroll('down')", show=False),
        Binding("pageup", "scroll('page_up')", show=False),
        Binding("pagedown", "scroll('page_down')", show=False),
    ]

    def on_key(self, event: events.Key) -> None:
        """Who types on means the input below. A key may come before the screen has gone."""
        begun = self._left or event.character != "q"
        if self._typed and event.is_printable and event.character and begun:
            event.stop()
            event.prevent_default()
            self._type(event.character)

    def on_paste(self, event: events.Paste) -> None:
        if self._typed:
            event.stop()
            self._type(event.text)

    def _type(self, text: str) -> None:
        if self._typed:
            self._typed(text)
        if not self._left:
            self._left = True
            self.dismiss()

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help", can_focus=False):
            yield BlockView(self._block)

    def action_scroll(self, way: str) -> None:
        getattr(self.query_one("#help", VerticalScroll), f"scroll_{way}")(animate=False)
