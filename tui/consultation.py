"""The consultation behind the screen: looks, tells, asks. Runs on the desk's thread only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from medic.i18n import Text

from . import after, curves, open_question, remedies, settled, starting, telling, words, words_more
from .diary import Diary
from .events import Asked, Choices, Event, Given, Suspected, Told, Working
from .keeping import state_of, write
from .lines import Block, Line, Tone, asking, said
from .looking import late_settings, observe, tell_left_out, weigh
from .moves import Move
from .news import edited
from .offers import Offer, offers_of
from .opening import SHOWN, files, opening
from .run_values import other_values, values_of
from .sayings import value_keys
from .telling import numbered

if TYPE_CHECKING:
    from medic.case.collect import Case, NotRead
    from medic.index.knowledge import Index
    from medic.planner.questions import Question
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis
    from medic.session.recheck import Applied


class Consultation:
    """Holds the session and what the user has seen of it; tells the screen through ``emit``."""

    def __init__(
        self,
        load: Callable[[], Index],
        case: Case,
        emit: Callable[[Event], None],
        *,
        resume: str = "",
        which: bool = False,
    ) -> None:
        self.emit = emit
        self.cancel = threading.Event()
        self.case = case
        self.found: Diagnosis | None = None
        self.question: Question | None = None
        self.walking: Choices | None = None  # the step of a procedure where the user stands
        self.moves: list[Move] = []  # oldest first
        self.stale = False  # files were changed since they were looked at
        self.waiting: Applied | None = None  # a change whose next run has not been seen yet
        self.before_remedy: set[str] | None = None  # symptoms when a remedy was given up
        self.stood: Applied | None = None  # the run at the last look
        self.probe_lines: dict[str, Line] = {}
        self.diary, self.demo = Diary(), False
        self.wanted: Callable[[], bool] = lambda: False  # whether another job waits
        self.by_itself = False  # a kept session was taken up that nobody asked for
        self.kept: dict[str, Any] = {}  # how a resumed session stood
        self._load = load
        self._session: Session | None = None
        self.on_offer: list[Offer] | None = None  # as last told
        self.left_out: list[NotRead] = []
        self._understood: set[str] = set()
        self.numbers: list[str] = []  # keys of what was said: the first is number 1 of /change
        self.looks, self.lists = 0, 0  # how often it looked, and listed the runs
        self.blocks, self.plan = 0, remedies.Plan()  # how many were told, and what of the remedies
        self.asked_last: tuple[str, tuple[tuple[str, Text], ...]] | None = None
        self.closed, self.which_size = False, ""  # a card whose memory is asked for
        self.resumed = resume  # whose words were held against its files before
        self._which = which

    @property
    def session(self) -> Session:
        if self._session is None:
            self.start()
        if self._session is None:
            raise RuntimeError("no session")
        return self._session

    @property
    def begun(self) -> bool:
        """Whether the knowledge is there, and the session open."""
        return self._session is not None

    # --- telling ------------------------------------------------------------------------

    def tell(self, what: Text | str | Block, tone: Tone = "plain", *, top: bool = False) -> None:
        """Adds a block to the transcript, and keeps it."""
        block = what if isinstance(what, Block) else said(what, tone)
        self.blocks += 1
        self.diary.say(block)
        self.emit(Told(block, top=top))

    def emit_only(self, block: Block) -> None:
        """Shows a block that is no part of what is kept."""
        self.emit(Told(block))

    def remember(self, what: Text, before: dict[str, Any] | None = None, change: str = "") -> None:
        """Keeps how to take back what the user just said or changed."""
        write(self)
        self.moves.append(Move(what, before, change))

    def files_changed(self) -> None:
        """What was found is of the files as they were: no plan holds until the next look."""
        self.stale = True
        self.on_offer = None

    def tell_all(self, blocks: Iterable[Block], *, top: bool = False) -> None:
        """Adds blocks; ``top`` lets the reader begin at the first."""
        for i, block in enumerate(blocks):
            self.tell(block, top=top and i == 0)

    def offer_choices(self, choices: Choices, before: Line, *below: Line) -> None:
        """Tells numbered choices and waits for one of them."""
        self.tell(asking((before,), numbered(choices.options), below))
        self.emit(Asked(choices))

    # --- starting and looking -----------------------------------------------------------

    def start(self) -> None:
        """Loads the knowledge and opens the session. Raises KnowledgeError, UsageError."""
        self.emit(Working(words.LOADING))
        try:
            from medic.session.consultation import Session

            index = self._load()
            if self.resumed:
                self._go_on(index)
            else:
                self._session = Session(index, self.case)
        finally:
            self.emit(Working(None))

    def _go_on(self, index: Index) -> None:
        """Takes up a kept session: what was said is told again, and holds."""
        from .resuming import take_up

        self._session = take_up(self, index, self.resumed)
        self.case = self._session.case
        self.emit(Given(self.case))

    def begin(self) -> None:
        """The first job: looks if there is anything to look at, else asks; loads meanwhile."""
        if not self.resumed:
            for block in opening(self.case, which=self._which):  # who shows the talk shows it
                self.diary.say(block)
        if self._which:
            starting.ask_run(self)
        elif not self.resumed and not (self.case.files or self.case.text):
            starting.ask_what(self)
        elif self.resumed:
            from .resuming import tell_again

            tell_again(self, self.resumed)
        session = self.session
        if self.waiting is not None:
            after.recheck(self)
        elif session.case.files or session.case.text:
            (starting.tell_stands if self._which else starting.look_first)(self)
        elif self.resumed:
            self.retell(whole=True)
        else:
            starting.tell_before(self)

    def close(self) -> None:
        """The app has gone: probes that run stop, none is started."""
        self.closed = True
        self.cancel.set()

    def take_case(self, case: Case) -> None:
        """Starts anew over another case with the same knowledge."""
        from medic.session.consultation import Session

        self._session, self.case = Session(self.session.index, case), case
        self._which, self.resumed = False, ""
        self.forget()
        self.probe_lines, self.left_out = {}, []
        self.emit(Given(case))
        if case.files or case.text:
            self.tell(files(case, SHOWN))
            self.look()
        else:
            starting.ask_what(self)

    def take_session(self, session: Session) -> None:
        """Goes on over another session that holds what was said already."""
        self.case, self._session = session.case, session
        self.emit(Given(self.case))
        if self.waiting is not None:
            after.recheck(self)
        else:
            self.look()

    def forget(self) -> None:
        """Nothing of the session before holds."""
        self.found, self.question, self.on_offer, self.walking = None, None, None, None
        self.before_remedy, self.waiting, self.stood = None, None, None
        self.moves, self._understood, self.numbers = [], set(), []
        self.stale, self.plan = False, remedies.Plan()
        self.diary, self.kept, self.asked_last = self.diary.followed_by(Diary()), {}, None

    def look(self, *, whole: bool = True, pasted: bool = False) -> None:
        """Runs the probes, telling each, then what is believed now; ``pasted``: see ``observe``."""
        if not self.diary.copies:
            write(self)
        self.keep()
        if self.closed:
            return
        self.emit(Working(words.LOOKING))
        before, values = self.stood, values_of(self.session)
        self.tell_understood()
        if not self.stale:
            edited(self, stands=False)
        observe(self, pasted=pasted)
        if (other := other_values(values, values_of(self.session))) is not None:
            self.tell(other)
        tell_left_out(self)
        if before is not None:
            after.since(self, before)
        else:
            late_settings(self)
        if self.before_remedy is not None and self.session.episode_if(self.before_remedy):
            self.another_run()
            self.tell(words_more.NEW_EPISODE, "strong")
        self.retell(whole=whole)

    def observe(self) -> None:
        """Runs the probes over the files as they are and tells what became of them."""
        observe(self)

    def another_run(self) -> None:
        """What was said was about the run before; changed files can still be restored."""
        self.before_remedy, self.found = None, None
        self._understood = value_keys(self.session)  # the run's values hold, and were told
        self.moves = [move for move in self.moves if move.change]

    # --- what is believed ---------------------------------------------------------------

    def retell(self, *, whole: bool = False, plan: bool = False) -> None:
        """Tells what changed, then asks or closes; while a change waits for its run, the next step
        is that run. ``plan``: the remedies all the same."""
        if self.stale and self.waiting is None:
            self.tell(words_more.FILES_CHANGED, "muted")
            self.look()
            return
        session = self.session
        self.tell_understood()
        before, found = self.found, weigh(self)
        self.found, self.on_offer = found, None
        rows = telling.suspects(found, before, wrong=telling.wrong_word(session, found))
        known = None if session.evidence.cancelled and not rows else rows
        self.emit(Suspected(known, none=found.verdict == "none-of-these"))
        asked = found.next if telling.asks(found) else None
        self.question = session.question(asked) if asked else None
        waits = self.waiting is not None and not plan
        advised = None if waits else settled.weigh(self, found)
        whole = whole or before is None or before.verdict != found.verdict
        head = telling.head(session, found) if whole else telling.brief(before, found)
        self.tell(head, top=self.question is None or advised is not None)
        if self.question is None:
            self.emit(Asked(None))
            self.tell_all(() if waits else remedies.closing(self, found))
        self.tell_all(telling.details(session, before, found, whole=whole))
        if whole:
            self.tell_all(curves.drawn(session, found))
        if advised is not None:
            settled.advise(self, advised)
        if self.waiting or self.question or self.walking:
            after.go_on(self)
        self.keep()

    def tell_understood(self) -> None:
        """What was read out of the user's words since the last time, to be corrected."""
        from .sayings import understood

        block, self._understood = understood(self, self._understood)
        if block is not None:
            self.tell(block)

    def ask(self) -> None:
        """Tells what is asked now and its choices."""
        open_question.ask(self)

    def offers(self) -> list[Offer]:
        """Remedies of the leader, then of what else may be or is wrong; numbered from 1."""
        if self.on_offer is None:
            self.on_offer = offers_of(self.session, self.found)
        return self.on_offer

    # --- keeping ------------------------------------------------------------------------

    def keep(self) -> None:
        """Writes down all that cannot be read again."""
        if self._session is not None:
            self.diary.keep(self._session, state_of(self))
        if (problem := self.diary.news()) is not None:
            self.emit_only(said(problem, "muted"))
