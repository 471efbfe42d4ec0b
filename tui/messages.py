"""Messages between the consultation, its screen and the app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.message import Message

from .events import Event

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen


class Happened(Message):
    """Something the consultation told from its thread."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event


class AppAction(Message):
    """An action that concerns the whole app: commands, theme, lang, quit."""

    def __init__(self, word: str, argument: str) -> None:
        super().__init__()
        self.word = word
        self.argument = argument


def is_open(app: App[Any], kind: type[Screen[Any]]) -> bool:
    """Whether such a view is open: its key was pressed again before it could be shown."""
    return any(isinstance(screen, kind) for screen in app.screen_stack)
