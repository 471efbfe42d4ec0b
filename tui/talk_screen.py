"""The consultation screen: fixed rows around the transcript, and what its keys and words do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Concatenate, ParamSpec

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from medic.i18n import current

from . import jobs, words, words_more
from .actions import ACTIONS
from .bars import Header, KeyBar, Progress, Suspects
from .desk import Desk, Opening
from .events import (
    Asked,
    Choices,
    Detailed,
    Event,
    Given,
    Graphed,
    Previewed,
    Stands,
    Suspected,
    Told,
    Working,
)
from .hints import hint, waits
from .keys_told import as_bound
from .lines import Block, said
from .messages import AppAction, Happened, is_open
from .offers import Offer
from .opening import opening
from .prompt import Prompt
from .transcript import Transcript

if TYPE_CHECKING:
    from .apart import Apart
    from .consultation import Consultation
    from .graph_nodes import Graph

P = ParamSpec("P")
# Objects, and rounds: a collection of the command's 50,000, or of all, holds a key up for 20 ms.
COLLECTED = (2_000, 10, 100)
MOST_DIGITS = 6  # of a number of a block
OF_THE_APP = frozenset({"commands", "theme", "lang", "quit"})


class TalkScreen(Screen[None]):
    """Turns what is typed into jobs for the desk, and what the desk tells into rows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(",".join(a.keys), f"do('{a.word}')", show=False, id=a.word)
            for a in ACTIONS
            if a.keys
        ),
        # Without a key of its own until the user gives it one.
        *(
            Binding(f"f{24 + i}", f"do('{a.word}')", show=False, id=a.word)
            for i, a in enumerate(a for a in ACTIONS if not a.keys)
        ),
        Binding("pageup", "scroll('page_up')", show=False),
        Binding("pagedown", "scroll('page_down')", show=False),
        Binding("ctrl+home", "scroll('home')", show=False),
        Binding("ctrl+end", "scroll('end')", show=False),
    ]
    AUTO_FOCUS = "#prompt"

    def __init__(self, opening: Opening, *, apart: bool = False) -> None:
        super().__init__()
        self.opening = opening
        self.choices: Choices | None = None
        self.desk: Desk | Apart = Desk(opening, self.emit)
        self.has: frozenset[str] = frozenset()  # what there is for an action to work on
        self.deaths = 0  # of the process apart
        self._apart = apart

    @property
    def consultation(self) -> Consultation:
        """Only where it runs in this process."""
        if not isinstance(self.desk, Desk):
            raise TypeError
        return self.desk.consultation

    def on_unmount(self) -> None:
        self.desk.stop()

    def emit(self, event: Event) -> None:
        """Called on another thread; after the app has gone nobody listens."""
        with suppress(RuntimeError):
            self.post_message(Happened(event))

    def compose(self) -> ComposeResult:
        how = self.opening
        yield Header(how.case, demo=how.demo, chosen=not how.which)
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
        self.wait_for(None)
        for block in opening(self.opening.case, which=self.opening.which):
            self.transcript.add(block)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """After the first paint: a process for the work, else a thread of this one."""
        if self._apart:
            import gc

            from .apart import Apart, lost

            gc.freeze()  # what is there by now stays: no collection has to look at it again
            gc.set_threshold(*COLLECTED)
            try:
                self.desk = Apart(self.opening, self.emit, partial(lost, self))
            except (OSError, ValueError, TypeError, AttributeError) as problem:
                self.transcript.add(said(words_more.NOT_APART.fill(why=str(problem)), "muted"))
        self.happened_now(Working(words.LOADING))  # until the other process tells what it does
        self.desk.start()
        self.work(jobs.begin)

    def work(
        self, job: Callable[Concatenate[Consultation, P], None], *values: P.args, **_: P.kwargs
    ) -> None:
        """A job for the desk."""
        self.desk.put(job, *values)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def add(self, block: Block) -> None:
        self.transcript.add(block)

    def keep(self, block: Block) -> None:
        self.desk.keep(block)

    # --- what the consultation tells ----------------------------------------------------

    @on(Happened)
    async def happened(self, message: Happened) -> None:
        self.happened_now(message.event)
        await asyncio.sleep(0)  # a key that waits is taken before what is told next

    def happened_now(self, event: Event) -> None:
        if isinstance(event, Told):
            self.transcript.add(event.block, event.key, top=event.top)
        elif isinstance(event, Asked):
            self.wait_for(event.choices)
        elif isinstance(event, Suspected):
            for view in self.query(Suspects):
                view.take(event.suspects, none=event.none)
        elif isinstance(event, Working):
            self.query_one(Progress).take(event)
        elif isinstance(event, Given):
            self.query_one(Header).take(event.case)
        elif isinstance(event, Graphed):
            self._graph(event.graph)
        elif isinstance(event, Detailed):
            self._detail(event)
        elif isinstance(event, Stands):
            self.has = event.has
            self.query_one(Progress).take(Working(None))
            self._hint()
        else:
            self._preview(event)

    def wait_for(self, choices: Choices | None) -> None:
        """Which choices the input takes a number for: they are in sight."""
        if choices is not None and choices is not self.choices:
            self.transcript.waits()
            self.query_one(Prompt).drop_digits()
        self.choices = choices
        self.query_one(Prompt).choices = len(choices.options) if choices else 0
        self._hint()

    def _hint(self) -> None:
        prompt, choices = self.query_one(Prompt), self.choices
        question = choices is not None and choices.how is not None
        prompt.say(str(as_bound(hint(prompt.choices, self.has, question=question))))

    def _graph(self, graph: Graph) -> None:
        from .graph_screen import GraphScreen

        if is_open(self.app, GraphScreen):
            return
        screen = GraphScreen(graph, lambda cause: self.work(jobs.detail, cause))
        screen.set_class(self.has_class("-wide"), "-wide")  # styled once, for its width
        self.app.push_screen(screen, self._from_graph)

    def _detail(self, event: Detailed) -> None:
        from .graph_screen import GraphScreen

        if isinstance(self.app.screen, GraphScreen):
            self.app.screen.take(event.cause, event.block)

    def _from_graph(self, order: str | None) -> None:
        if order:
            self.action_do(*order.split(" ", 1))

    def _preview(self, event: Previewed) -> None:
        from .patch_screen import PatchScreen

        if is_open(self.app, PatchScreen):
            return
        self.app.push_screen(PatchScreen(event.offer), partial(self._previewed, event.offer))

    def _previewed(self, offer: Offer, apply: bool | None) -> None:
        if apply:
            self.work(jobs.apply, offer)
        else:
            self.transcript.add(said(words_more.NOT_APPLIED, "muted"))

    @on(Transcript.Out)
    def out(self, message: Transcript.Out) -> None:
        more = words.MORE_BELOW if message.below else words.MORE_ABOVE
        self.query_one(Progress).point(more if message.above or message.below else None)

    # --- what the user types and presses ------------------------------------------------

    @on(Prompt.Sent)
    def sent(self, message: Prompt.Sent) -> None:
        from .typed import take

        self.transcript.to_end()
        take(self, message.text)

    @on(KeyBar.Pressed)
    def pressed(self, message: KeyBar.Pressed) -> None:
        self.action_do(message.action.word)

    def action_do(self, word: str, argument: str = "") -> None:
        """An action of the table: here if it is about the screen, else at the desk."""
        if word not in OF_THE_APP and word not in ("help", "graph", "copy"):
            self.transcript.to_end()
        if word == "help":
            from .help_screen import HelpScreen

            self.app.push_screen(
                HelpScreen("", waits(self.choices), self.query_one(Prompt).type_on)
            )
        elif word == "copy":
            self._copy(argument.strip())
        elif word == "stop":
            self.desk.cancel()
        elif word in OF_THE_APP:
            self.post_message(AppAction(word, argument.strip()))
        else:
            self.work(jobs.order, word, argument)

    def _copy(self, which: str) -> None:
        number = int(which) if which.isdecimal() and len(which) < MOST_DIGITS else 0  # 0: none
        code = self.transcript.code(number if which else None)
        text = self.transcript.whole() if which == "all" else code
        if text is None:
            missing = words_more.NO_SUCH_BLOCK if which else words_more.NOTHING_TO_COPY
            self.transcript.add(said(missing.fill(n=which), "muted"))
        else:
            self.app.copy_to_clipboard(text)

    def action_scroll(self, way: str) -> None:
        self.transcript.moved()
        getattr(self.transcript, f"scroll_{way}")(animate=False)

    def speak(self) -> None:
        self.retell()

    def ready(self) -> set[str]:
        """What there is for an action to work on."""
        running = bool(self.query_one(Progress).state.stoppable)
        return {*self.has, "running"} if running else set(self.has)

    def retell(self) -> None:
        """Every row in the language that is in use now."""
        self.desk.speak(current())
        for view in (*self.query(Suspects), self.query_one(Header), self.query_one(Progress)):
            view.retell()
        self.query_one(KeyBar).retell()
        self.transcript.retell()
        self.wait_for(self.choices)
        self.set_class(current() == "zh", "-zh")
