"""The consultation behind the screen: looks, tells, asks. Runs on the desk's thread only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medic.i18n import Text

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
    """Something the user said that can be taken back."""

    what: Text
    back: Callable[[], None]


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
        self.moves: list[Move] = []
        self.applied: list[str] = []  # change ids, oldest first
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

    def remember(self, what: Text, back: Callable[[], None]) -> None:
        """Keeps how to take back what the user just said."""
        self.moves.append(Move(what, back))

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
        self.found, self.question, self.moves = None, None, []
        self.look()

    def look(self) -> None:
        """Runs the probes, telling each, then what is believed now."""
        from medic.runner import all_probes

        session = self.session
        if self._closed:
            return
        self.cancel.clear()
        board = Board(len(all_probes() if session.probes is None else session.probes))
        self._looks += 1
        key = f"look {self._looks}"
        self._observe(board, key)
        before, self.probe_lines = self.probe_lines, outcomes(session)
        self.emit(Told(ended(self.probe_lines, before), key))
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
            self.tell(words_more.NEW_EPISODE, "strong")

    def symptoms(self) -> set[str]:
        """Names of the symptoms that lead now."""
        from medic.verdict import leading_symptoms

        return {h.seen.name for h in leading_symptoms(self.session.index, self.session.found)}

    # --- what is believed ---------------------------------------------------------------

    def retell(self, *, whole: bool = False) -> None:
        """Works out where the case stands and tells what changed, then asks or closes."""
        session = self.session
        before, found = self.found, session.diagnosis()
        self.found, self._offers = found, None
        self.emit(Suspected(telling.suspects(found)))
        closed = not self._asks(found)
        if whole or before is None or before.verdict != found.verdict:
            self.tell(telling.whole(session, found), top=closed)
        else:
            self.tell(telling.brief(before, found), top=closed)
        pruned = telling.ruled_out(session, before, found)
        if pruned:
            self.tell(pruned)
        self._ask_or_close(found)

    def _asks(self, found: Diagnosis) -> bool:
        return found.next is not None and found.verdict in ("likely", "established")

    def _ask_or_close(self, found: Diagnosis) -> None:
        asks = found.next if self._asks(found) else None
        self.question = self.session.question(asks) if asks else None
        if self.question is not None:
            self.ask()
            return
        self.emit(Asked(None))
        self.tell_all(telling.closing(self.session, found, self.offers()))

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
        numbered = enumerate(kept.values(), start=1)
        return [Offer(n, name, fix.remedy.title, fix) for n, (name, fix) in numbered]
