"""The consultation screen: fixed rows around the transcript, and what its keys and words do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from medic.case import Case
from medic.i18n import Text, current, plain

from . import words, words_more
from .actions import ACTIONS, BY_WORD
from .bars import Header, KeyBar, Progress, Suspects, hint
from .desk import Desk
from .events import Asked, Choices, Event, Previewed, Suspected, Told, Working
from .lines import Block, Line, said
from .messages import AppAction, Happened
from .offers import Offer
from .opening import opening
from .prompt import Prompt
from .transcript import Transcript

if TYPE_CHECKING:
    from medic.index import Index

    from .consultation import Consultation

YES, NO = ("present", "yes", "fires"), ("absent", "no", "passes")
SHOWN_OF_PASTE = 3
OF_THE_APP = frozenset({"commands", "theme", "lang", "quit"})


class TalkScreen(Screen[None]):
    """Turns what is typed into jobs for the desk, and what the desk tells into rows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"do('{a.word}')", show=False, id=f"{a.word}-{key}")
            for a in ACTIONS
            for key in a.keys
        ),
        Binding("pageup", "scroll('page_up')", show=False),
        Binding("pagedown", "scroll('page_down')", show=False),
        Binding("ctrl+home", "scroll('home')", show=False),
        Binding("ctrl+end", "scroll('end')", show=False),
    ]
    AUTO_FOCUS = "#prompt"

    def __init__(self, load: Callable[[], Index], case: Case, *, demo: bool) -> None:
        super().__init__()
        self.case = case
        self.demo = demo
        self.choices: Choices | None = None
        self.desk = Desk(self._failed)
        self._load = load

    @cached_property
    def consultation(self) -> Consultation:
        """Made after the first paint, as is all that only it needs."""
        from .consultation import Consultation

        return Consultation(self._load, self.case, self._emit)

    def on_unmount(self) -> None:
        self.consultation.close()
        self.desk.stop()

    def _failed(self, problem: Exception) -> None:
        from .failures import told

        self._emit(Told(told(problem)))

    def _emit(self, event: Event) -> None:
        """Called on the desk's thread; after the app has gone nobody listens."""
        with suppress(RuntimeError):
            self.post_message(Happened(event))

    def compose(self) -> ComposeResult:
        yield Header(self.case, demo=self.demo)
        yield Suspects(column=False)
        with Horizontal(id="body"):
            yield Transcript()
            yield Suspects(column=True)
        yield Progress()
        with Horizontal(id="line"):
            yield Static("\u203a", id="sign", markup=False)
            yield Prompt()
        yield KeyBar()

    def on_mount(self) -> None:
        self._wait_for(None)
        for block in opening(self.case):
            self.transcript.add(block)
        self.desk.start()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.desk.put(self.consultation.begin)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    # --- what the consultation tells ----------------------------------------------------

    @on(Happened)
    def happened(self, message: Happened) -> None:
        event = message.event
        if isinstance(event, Told):
            self.transcript.add(event.block, event.key, top=event.top)
        elif isinstance(event, Asked):
            self._wait_for(event.choices)
        elif isinstance(event, Suspected):
            for view in self.query(Suspects):
                view.take(event.suspects, none=event.none)
        elif isinstance(event, Working):
            self.query_one(Progress).take(event)
        else:
            self._preview(event)

    def _wait_for(self, choices: Choices | None) -> None:
        self.choices = choices
        prompt = self.query_one(Prompt)
        prompt.choices = len(choices.options) if choices else 0
        question = choices is not None and choices.how is not None
        prompt.say(str(hint(prompt.choices, question=question)))

    def _preview(self, event: Previewed) -> None:
        from .patch_screen import PatchScreen

        self.app.push_screen(PatchScreen(event.offer), partial(self._previewed, event.offer))

    def _previewed(self, offer: Offer, apply: bool | None) -> None:
        from .orders import apply as write

        if apply:
            self.desk.put(partial(write, self.consultation, offer))
        else:
            self.transcript.add(said(words_more.NOT_APPLIED, "muted"))

    @on(Transcript.Below)
    def below(self, message: Transcript.Below) -> None:
        self.query_one(Progress).take(more=message.more)

    # --- what the user types ------------------------------------------------------------

    @on(Prompt.Sent)
    def sent(self, message: Prompt.Sent) -> None:
        self.transcript.to_end()
        text = message.text.strip("\n")
        word = text.strip()
        if self._order(word) or self._choice(word):
            return
        self._echo(text)
        self._say(text)

    def _say(self, text: str) -> None:
        from .answers import say

        self.desk.put(partial(say, self.consultation, text))

    def _order(self, text: str) -> bool:
        """Takes a /word; a path that begins with a slash is a file to add."""
        if not text.startswith("/") or "\n" in text:
            return False
        word, _, argument = text[1:].partition(" ")
        if not word:
            self.action_do("commands")
        elif word in BY_WORD:
            self._echo(text)
            self.action_do(word, argument)
        elif Path(text).exists():
            self._echo(text)
            self._at_desk("add", text)
        else:
            self._echo(text)
            self._unknown(word)
        return True

    def _unknown(self, word: str) -> None:
        from .orders import unknown

        self.desk.put(partial(unknown, self.consultation, word, list(BY_WORD)))

    def _choice(self, text: str) -> bool:
        """Takes a number, y, n or ? as an answer to the choices on the screen."""
        from .answers import choose, how

        if not text.isdecimal() and text.lower() not in ("y", "n", "?"):
            return False
        choices = self.choices
        if choices is None:
            if text.isdecimal() or text == "?":
                self.transcript.add(said(words.NO_CHOICE, "muted"))
            return text.isdecimal() or text == "?"
        if text == "?":
            if choices.how is not None:
                self.desk.put(partial(how, self.consultation, choices))
            return True
        place = self._place(text, choices)
        if place is None or not 0 <= place < len(choices.options):
            known = words.NOT_A_CHOICE if text.isdecimal() else words.NOT_YES_NO
            self.transcript.add(said(known.fill(n=len(choices.options)), "muted"))
            return True
        value, title = choices.options[place]
        self._say_choice(place, title)
        self._wait_for(None)
        self.desk.put(partial(choose, self.consultation, choices, value))
        return True

    def _place(self, text: str, choices: Choices) -> int | None:
        if text.isdecimal():
            return int(text) - 1
        return choices.place(*(YES if text.lower() == "y" else NO))

    def _say_choice(self, place: int, title: Text) -> None:
        line = Line(title, mark=f"{place + 1}  ")
        self.transcript.add(Block("you", (line,)))

    def _echo(self, text: str) -> None:
        """What the user said, a long paste by its first lines."""
        rows = text.split("\n")
        lines = [Line(plain(row), short=len(rows) > 1) for row in rows[:SHOWN_OF_PASTE]]
        if len(rows) > SHOWN_OF_PASTE:
            lines.append(Line(words.LINES_IN_ALL.fill(n=len(rows)), "muted"))
        self.transcript.add(Block("you", tuple(lines)))

    # --- actions ------------------------------------------------------------------------

    @on(KeyBar.Pressed)
    def pressed(self, message: KeyBar.Pressed) -> None:
        self.action_do(message.action.word)

    def action_do(self, word: str, argument: str = "") -> None:
        """An action of the table: here if it is about the screen, else at the desk."""
        self.transcript.to_end()
        if word == "help":
            from .help_screen import HelpScreen

            self.app.push_screen(HelpScreen())
        elif word == "copy":
            self._copy(argument.strip())
        elif word == "stop":
            self.consultation.cancel.set()
        elif word in OF_THE_APP:
            self.post_message(AppAction(word, argument.strip()))
        else:
            self._at_desk(word, argument)

    def _at_desk(self, word: str, argument: str) -> None:
        from .orders import ORDERS

        self.desk.put(partial(ORDERS[word], self.consultation, argument))

    def _copy(self, which: str) -> None:
        number = int(which) if which.isdecimal() else None
        text = self.transcript.whole() if which == "all" else self.transcript.code(number)
        if text is None:
            missing = words_more.NO_SUCH_BLOCK if which else words_more.NOTHING_TO_COPY
            self.transcript.add(said(missing.fill(n=which), "muted"))
        else:
            self.app.copy_to_clipboard(text)

    def action_scroll(self, way: str) -> None:
        self.transcript.moved()
        getattr(self.transcript, f"scroll_{way}")(animate=False)

    def retell(self) -> None:
        """Every row in the language that is in use now."""
        for view in (*self.query(Suspects), self.query_one(Header), self.query_one(Progress)):
            view.retell()
        self.query_one(KeyBar).retell()
        self.transcript.retell()
        self._wait_for(self.choices)
        self.set_class(current() == "zh", "-zh")
