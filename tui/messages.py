"""Messages between the consultation, its screen and the app."""

from __future__ import annotations

from textual.message import Message

from .events import Event


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
