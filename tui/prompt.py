"""The input: Enter sends; it grows only when several lines are pasted."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from medic.text.pasted import readable

from .actions import completed

MAX_ROWS = 6
SHOWN_PASTE = 20_000  # characters; a longer paste is sent at once, not shown for editing
MAX_PASTE = 8 * 1024 * 1024


class Prompt(TextArea, inherit_bindings=False):
    """One line of text, or what was pasted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "older", show=False),
        Binding("down", "newer", show=False),
        Binding("left", "cursor_left", show=False),
        Binding("right", "cursor_right", show=False),
        Binding("ctrl+left", "cursor_word_left", show=False),
        Binding("ctrl+right", "cursor_word_right", show=False),
        Binding("home", "cursor_line_start", show=False),
        Binding("end,ctrl+e", "cursor_line_end", show=False),
        Binding("shift+left", "cursor_left(True)", show=False),
        Binding("shift+right", "cursor_right(True)", show=False),
        Binding("backspace", "delete_left", show=False),
        Binding("ctrl+w,alt+backspace", "delete_word_left", show=False),
        Binding("delete,ctrl+d", "delete_right", show=False),
        Binding("ctrl+u", "delete_to_start_of_line", show=False),
        Binding("ctrl+z", "undo", show=False),
        Binding("ctrl+y", "redo", show=False),
        Binding("ctrl+v", "paste", show=False),
        Binding("enter", "send", show=False),
        Binding("tab", "complete", show=False),
    ]

    class Sent(Message):
        """The user pressed Enter, or ``?`` on an empty line below a question."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Leaves(Message):
        """The user pressed ctrl+d on an empty line, as one leaves a shell."""

    def __init__(self) -> None:
        super().__init__(id="prompt", compact=True, highlight_cursor_line=False)
        self.choices = 0  # how many numbered choices are open
        self._sent: list[str] = []
        self._at = 0

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "tab"):
            event.stop()
            event.prevent_default()
            self.action_send() if event.key == "enter" else self.action_complete()
            return
        if event.character == "?" and self.choices and not self.text:
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent("?"))
            return
        if event.key == "ctrl+d" and not self.text:
            self.post_message(self.Leaves())
            return
        await super()._on_key(event)

    def action_delete_to_start_of_line(self) -> None:
        """All before the cursor, over however many rows the line is wrapped."""
        row, column = self.cursor_location
        self.delete((row, 0), (row, column))

    def drop_digits(self) -> None:
        """A number that was typed before the choices are there is no answer to them."""
        if self.text.isdecimal():
            self.text = ""

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.type_on(event.text)

    def type_on(self, pasted: str) -> None:
        """What was pasted, or typed where something else lay above."""
        text = readable(pasted[:MAX_PASTE])
        if len(text) > SHOWN_PASTE:
            self.post_message(self.Sent(f"{self.text}\n{text}".strip("\n")))
            self.text = ""
        else:
            self.insert(text.rstrip("\n") if "\n" in text.rstrip("\n") else text.strip("\n"))

    def action_send(self) -> None:
        text, self.text = self.text, ""
        if not text.strip():
            return
        if "\n" not in text and text not in self._sent[-1:]:
            self._sent.append(text)
        self._at = len(self._sent)
        self.post_message(self.Sent(text))

    def action_complete(self) -> None:
        """The rest of a /word."""
        self._show(completed(self.text))

    def action_older(self) -> None:
        """The line typed before; in pasted text, the row above."""
        if self.document.line_count > 1:
            self.action_cursor_up()
        elif self._at > 0:
            self._at -= 1
            self._show(self._sent[self._at])

    def action_newer(self) -> None:
        """The line typed after; in pasted text, the row below."""
        if self.document.line_count > 1:
            self.action_cursor_down()
        elif self._at < len(self._sent):
            self._at += 1
            self._show(self._sent[self._at] if self._at < len(self._sent) else "")

    def _show(self, text: str) -> None:
        self.text = text
        self.move_cursor(self.document.end)

    def on_text_area_changed(self) -> None:
        """As many rows as the text takes, up to a limit."""
        self.styles.height = min(MAX_ROWS, max(1, self.wrapped_document.height))

    def say(self, hint: str) -> None:
        """What the empty line shows."""
        self.placeholder = Content(hint)
