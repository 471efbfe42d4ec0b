"""The command palette, made from the table of actions."""

from __future__ import annotations

from collections.abc import Coroutine
from functools import partial

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from . import words_more
from .actions import ACTIONS, Action, keys_of, usage
from .lines import joined


def label(action: Action) -> str:
    """Title, what it does, the typed form and the key."""
    keys = keys_of(action)
    text = joined([action.title, action.help], ": ", "：")
    return f"{text}  {usage(action)}" + (f"  {keys}" if keys else "")


class ActionsProvider(Provider):
    """Actions by their titles and words, in the language in use."""

    async def discover(self) -> Hits:
        for action in self._actions():
            text = label(action)
            yield DiscoveryHit(Content(text), self._do(action), text=text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        found = False
        for action in self._actions():
            text = label(action)
            score = matcher.match(text)
            if score > 0:
                found = True
                yield Hit(score, matcher.highlight(text), self._do(action), text=text)
        if not found:
            # Without a hit the palette would say so in English only.
            text = str(words_more.NO_MATCH.fill(word=query))
            yield Hit(0.01, Content(text), lambda: None, text=text)

    def _actions(self) -> list[Action]:
        from .talk_screen import TalkScreen

        held = self.screen.ready() if isinstance(self.screen, TalkScreen) else set()
        return [a for a in ACTIONS if a.palette and (not a.needs or a.needs in held)]

    def _do(self, action: Action) -> partial[Coroutine[object, object, bool]]:
        return partial(self.app.run_action, f"do('{action.word}')", self.screen)


def palette() -> CommandPalette:
    return CommandPalette(
        providers=[ActionsProvider], placeholder=str(words_more.PALETTE), id="--command-palette"
    )
