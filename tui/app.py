"""The terminal app: wires the screens, the themes and the clipboard together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver

from medic.case.collect import Case
from medic.errors import Exit
from medic.i18n import Lang, Text, current, detect, use

from . import words_more
from .desk import Opening
from .lines import said
from .messages import AppAction
from .paste import take_whole
from .prompt import Prompt
from .talk_screen import TalkScreen
from .transcript import Transcript

if TYPE_CHECKING:
    from medic.index.knowledge import Index

# Seconds that a probe may hold the interpreter while a key waits; Python's own is 5 ms.
SWITCH = 0.002
WIDE = 100  # columns from which suspects have a column of their own
THEMES = ("textual-dark", "textual-light", "ansi-dark", "ansi-light")


class MedicApp(App[None]):
    """Three screens: consultation, patch, help."""

    CSS_PATH = "medic.tcss"
    TITLE = "medic"
    COMMAND_PALETTE_BINDING = "f2"
    HORIZONTAL_BREAKPOINTS = [(WIDE, "-wide")]  # noqa: RUF012 - as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f10,ctrl+q", "quit", show=False, priority=True)
    ]

    def __init__(
        self, load: Callable[[], Index], case: Case, *, apart: bool = False, **how: Any
    ) -> None:
        """``how``: what else ``Opening`` takes; ``apart``: the work is done in another process."""
        # Else Textual paints greys of its own, black on black with the colours of the terminal.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.chosen_language = False  # with /lang, in this talk or at an earlier start
        self.talk = TalkScreen(Opening(load, case, **how), apart=apart)
        if os.environ.get("SSH_CONNECTION"):
            self.animation_level = "none"

    def get_driver_class(self) -> type[Driver]:
        """As Textual chooses it; a paste comes whole."""
        driver = super().get_driver_class()
        take_whole(driver)
        return driver

    def on_mount(self) -> None:
        self.theme = THEMES[0]
        self.talk.set_class(self.size.width >= WIDE, "-wide")  # styled once, for its width
        self.push_screen(self.talk)
        self.call_after_refresh(self._take_settings)

    def _take_settings(self) -> None:
        """The remembered theme, and the keys that the project gives to actions; what is wrong
        there is said. After the first paint: both are read from files."""
        from .actions import remap
        from .settings import keys_of_project, remembered

        theme = str(remembered().get("theme", ""))
        if theme in THEMES and theme != self.theme:
            self.theme = theme
        keys, wrong = keys_of_project(Path.cwd())
        if wrong is not None:
            self.talk.transcript.add(wrong, first=True)
        if self.chosen_language and current() != detect():
            self.talk.transcript.add(said(words_more.LANG_CHOSEN[current()], "muted"), first=True)
        remap(keys)
        if keys:
            self.set_keymap({word: ",".join(given) for word, given in keys.items()})
            self.talk.retell()

    def action_command_palette(self) -> None:

        from .palette import palette

        if self.screen is self.talk:
            self.push_screen(palette())

    @on(Prompt.Leaves)
    def leaves(self) -> None:
        self.action_help_quit()

    def action_help_quit(self) -> None:
        """ctrl+c by habit: says how to leave."""
        self._say(words_more.QUIT_HOW)

    @on(AppAction)
    async def asked(self, message: AppAction) -> None:
        if message.word == "quit":
            await self.action_quit()
        elif message.word == "commands":
            self.action_command_palette()
        elif message.word == "theme":
            self._change_theme(message.argument)
        elif message.word == "lang":
            self._change_language(message.argument)

    def copy_to_clipboard(self, text: str) -> None:
        """Copies by the way that works here, and says which one it was."""
        self.run_worker(lambda: self._copied(text), thread=True, group="copy")

    def _copied(self, text: str) -> None:
        from .clipboard import copy

        send = super().copy_to_clipboard
        told = copy(text, lambda words: self.call_from_thread(send, words))
        self.call_from_thread(self._say, told)

    def _say(self, text: Text) -> None:
        from .patch_screen import PatchScreen

        if isinstance(self.screen, PatchScreen):
            self.screen.note(text)
        else:
            for transcript in self.talk.query(Transcript):  # gone where the app left meanwhile
                transcript.add(said(text, "muted"))

    def _remember(self, **values: str) -> None:
        from .settings import remember

        self.run_worker(lambda: remember(**values), thread=True, group="settings")

    def _change_theme(self, name: str) -> None:
        if name in THEMES:
            self.theme = name
        elif not name:
            self.theme = THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)]
        self._remember(theme=self.theme)
        self._say(words_more.THEME_NOW.fill(name=self.theme, names=", ".join(THEMES)))

    def _change_language(self, name: str) -> None:
        if name == "auto":
            self._remember(lang="")
            use(detect())
            self.talk.retell()
            self._say(words_more.LANG_AUTO)
            return
        if name not in ("en", "zh"):
            self._say(words_more.LANG_WHICH)
            return
        use(cast("Lang", name))
        self._remember(lang=name)
        self.talk.retell()
        self._say(words_more.LANG_NOW[name])


def tell_kept(session: str, problem: Text | None = None) -> None:
    """On the terminal that is left: how to go on; ``problem``: why not all of it is kept."""
    from medic.report.console import Console

    from .words_keep import KEPT, KEPT_IN_PART

    if session and problem is not None:
        Console().talk(KEPT_IN_PART.fill(id=session, why=problem))
    elif session:
        Console().talk(KEPT.fill(id=session))


def run(
    load: Callable[[], Index],
    case: Case,
    *,
    demo: bool = False,
    which: bool = False,
    resume: str = "",
) -> int:
    """Runs the app over a case until the user leaves; the exit code.

    ``load`` gives the knowledge; it is called after the first paint, on another thread.
    ``which``: the case is one of several runs and nobody chose it; ``resume``: a kept session.
    Without ``--lang`` the language that was chosen with /lang holds, before that of the system: who
    chose it in the app wants it there, and is told how to take it back.
    """
    from .settings import remembered

    sys.setswitchinterval(SWITCH)
    lang = remembered().get("lang")
    chosen = lang in ("en", "zh") and not any(word.startswith("--lang") for word in sys.argv)
    if chosen:
        use(cast("Lang", lang))
    app = MedicApp(load, case, apart=True, demo=demo, which=which, resume=resume)
    app.chosen_language = chosen
    app.run()
    tell_kept(app.talk.desk.session, app.talk.desk.problem)
    return app.return_code or int(Exit.OK)
