"""The consultation behind the screen: looks, tells, asks. Runs on the desk's thread only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.records import dataclass

from . import telling, words, words_more
from .events import Asked, Choices, Event, Suspected, Told, Working
from .lines import Block, Line, Tone, said
from .offers import Offer
from .probing import Board, ended, outcomes

if TYPE_CHECKING:
    from medic.case import Case, NotRead
    from medic.diagnosis import Diagnosis
    from medic.fixes import Fix
    from medic.index import Index
    from medic.session import Question, Session


@dataclass(frozen=True)
class Move:
    """Something the user said or changed that can be taken back.

    ``change``: files were changed, which has to be looked at again after it was taken back.
    """

    what: Text
    back: Callable[[], object]
    change: bool = False


class Consultation:
    """Holds the session and what the user has seen of it; tells the screen through ``emit``."""

    def __init__(
        self, load: Callable[[], Index], case: Case, emit: Callable[[Event], None]
    ) -> None:
        self.emit = emit
        self.cancel = threading.Event()
        self.case = case
        self.found: Diagnosis | None = None
        self.question: Question | None = None
        self.moves: list[Move] = []  # oldest first
        self.stale = False  # files were changed since they were looked at
        self.before_remedy: set[str] | None = None  # symptoms when a remedy was given up
        self.probe_lines: dict[str, Line] = {}
        self._load = load
        self._session: Session | None = None
        self._offers: list[Offer] | None = None
        self._left_out: list[NotRead] = []
        self._looks = 0
        self._closed = False

    @property
    def session(self) -> Session:
        if self._session is None:
            self.start()
        if self._session is None:
            raise RuntimeError("no session")
        return self._session

    # --- telling ------------------------------------------------------------------------

    def tell(self, what: Text | str | Block, tone: Tone = "plain", *, top: bool = False) -> None:
        """Adds a block to the transcript."""
        self.emit(Told(what if isinstance(what, Block) else said(what, tone), top=top))

    def remember(self, what: Text, back: Callable[[], object], *, change: bool = False) -> None:
        """Keeps how to take back what the user just said or changed."""
        self.moves.append(Move(what, back, change))

    def files_changed(self) -> None:
        """What was found is of the files as they were: no plan holds until the next look."""
        self.stale = True
        self._offers = None

    def tell_all(self, blocks: list[Block], *, top: bool = False) -> None:
        """Adds blocks; ``top`` lets the reader begin at the first."""
        for i, block in enumerate(blocks):
            self.tell(block, top=top and i == 0)

    # --- starting and looking -----------------------------------------------------------

    def start(self) -> None:
        """Loads the knowledge and opens the session. Raises KnowledgeError."""
        self.emit(Working(words.LOADING))
        try:
            from medic.session import Session

            self._session = Session(self._load(), self.case)
        finally:
            self.emit(Working(None))

    def begin(self) -> None:
        """The first job: loads, looks if there is anything to look at, and tells."""
        session = self.session
        if session.case.files or session.case.text:
            self.look()

    def close(self) -> None:
        """The app has gone: probes that run stop, none is started."""
        self._closed = True
        self.cancel.set()

    def take_case(self, case: Case) -> None:
        """Starts anew over another case with the same knowledge."""
        from medic.session import Session

        self.case = case
        self._session = Session(self.session.index, case)
        self.found, self.question = None, None
        self.before_remedy = None
        self.moves = []
        self.look()

    def look(self) -> None:
        """Runs the probes, telling each, then what is believed now."""
        from medic.runner import all_probes

        session = self.session
        if self._closed:
            return
        self.cancel.clear()
        self.stale = False
        board = Board(len(all_probes() if session.probes is None else session.probes))
        self._looks += 1
        key = f"look {self._looks}"
        self._observe(board, key)
        before, self.probe_lines = self.probe_lines, outcomes(session)
        self.emit(Told(ended(session, self.probe_lines, before), key))
        if session.evidence.cancelled:
            self.tell(words.STOPPED.fill(n=board.total - board.done), "warn")
        self._tell_not_read()
        self._maybe_new_episode()
        self.retell(whole=True)

    def _observe(self, board: Board, key: str) -> None:
        """Runs the probes; the block ``key`` shows what has ended, the progress row what runs."""

        def progress(name: str, state: str) -> None:
            board.take(name, state)
            running = Text(", ".join(board.running), ", ".join(board.running))
            self.emit(Working(running, board.done, board.total, stoppable=True))
            if state != "start":
                self.emit(Told(board.block(), key))

        self.emit(Working(words.LOOKING, 0, board.total, stoppable=True))
        try:
            self.session.look(progress, self.cancel)
        finally:
            self.emit(Working(None))

    def _tell_not_read(self) -> None:
        """What was left out, each once."""
        left = [item for item in self.session.evidence.not_read if item not in self._left_out]
        self._left_out += left
        if not left:
            return
        lines = [
            Line(words.NOT_READ.fill(file=item.file, why=Text(item.en, item.zh)), "muted")
            for item in left[:3]
        ]
        if len(left) > 3:
            lines.append(Line(words.AND_MORE.fill(n=len(left) - 3, word="/probes"), "muted"))
        self.tell(Block("more", tuple(lines)))

    def _maybe_new_episode(self) -> None:
        if self.before_remedy is not None and self.session.episode_if(self.before_remedy):
            self.before_remedy = None
            # What was said was about the run before; changed files can still be restored.
            self.moves = [move for move in self.moves if move.change]
            self.tell(words_more.NEW_EPISODE, "strong")

    # --- what is believed ---------------------------------------------------------------

    def retell(self, *, whole: bool = False) -> None:
        """Works out where the case stands and tells what changed, then asks or closes."""
        if self.stale:
            self.tell(words_more.FILES_CHANGED, "muted")
            self.look()
            return
        session = self.session
        before, found = self.found, session.diagnosis()
        self.found, self._offers = found, None
        self.emit(Suspected(telling.suspects(found), none=found.verdict == "none-of-these"))
        asks = found.next if found.verdict in ("likely", "established") else None
        self.question = session.question(asks) if asks else None
        whole = whole or before is None or before.verdict != found.verdict
        head = telling.head(session, found) if whole else telling.brief(before, found)
        self.tell(head, top=self.question is None)
        if self.question is None:
            self.emit(Asked(None))
            self.tell_all(telling.closing(session, found, self.offers()))
        self.tell_all(telling.details(session, before, found, whole=whole))
        if self.question is not None:
            self.ask()

    def ask(self) -> None:
        """Tells the open question and its choices."""
        if self.question is None:
            self.emit(Asked(None))
            return
        asked = self.question
        options = (*asked.choices, ("", words.DONT_KNOW))
        self.tell(telling.question(asked, options))
        self.emit(Asked(Choices("answer", asked.name, options, asked.how)))

    # --- remedies -----------------------------------------------------------------------

    def offers(self) -> list[Offer]:
        """Remedies of the leader, then of what else may be or is wrong; numbered from 1."""
        if self._offers is None:
            self._offers = self._make_offers()
        return self._offers

    def _make_offers(self) -> list[Offer]:
        found = self.found
        if found is None or found.verdict in ("healthy", "no-fault-seen", "none-of-these"):
            causes: list[str] = []
        else:
            causes = [c.name for c in found.causes[: 1 if found.verdict == "established" else 3]]
        fixes = {c: self.session.fixes(c) for c in causes}
        chosen = [(c, f) for c in causes[:1] for f in fixes[c]]
        chosen += [(c, f) for c in causes[1:] for f in fixes[c][:1]]
        for cause in found.also_wrong if found else ():
            chosen += [(cause.name, f) for f in self.session.fixes(cause.name)[:1]]
        kept: dict[str, tuple[str, Fix]] = {}
        for name, fix in chosen:
            kept.setdefault(fix.remedy.name, (name, fix))
        return [
            Offer(n, name, fix.remedy.title, fix, self._against(name, causes))
            for n, (name, fix) in enumerate(kept.values(), start=1)
        ]

    def _against(self, cause: str, leading: list[str]) -> Text | None:
        """The title of a cause that does not lead."""
        return None if cause in leading[:1] else self.session.index.causes[cause].title
