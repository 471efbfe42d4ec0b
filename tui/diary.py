"""A consultation's diary: what is said is kept as it is said, and what waits until it was taken."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medic.errors import MedicError
from medic.i18n import Text

from . import words_keep
from .keeping import record_of

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.saved import Keeper

    from .lines import Block

MILLISECOND = 1_000_000  # in nanoseconds
Waiting = dict[str, Any]  # something said that waits: its number, and what a job makes of it


class Diary:
    """Keeps the session and the talk. Where that cannot be done it says so, and tries again with
    the next thing said.

    ``copies``: the session is open in another terminal, which writes it. This one is a look at it
    until something is said here: that begins a copy.
    """

    def __init__(self, name: str = "", opened: float = 0.0, *, copies: str = "") -> None:
        self._name = name
        self._opened = opened
        self.copies = copies
        self._keeper: Keeper | None = None
        self._early: list[
            Block
        ] = []  # said before there was a session, or while none could be kept
        self._last = ""
        self._lock = threading.RLock()  # what waits is told by the thread that hears it
        self._waiting: list[Waiting] = []
        self._unheard: dict[int, str] = {}  # by number where it is kept until a session has it
        self._left: list[Waiting] = []  # of those what was said before the session was left
        self._number = 0  # of what was heard last; no two sessions give the same
        self.taking = 0  # of what is being taken now, or was last
        self.problem: Text | None = None
        self._told = False

    @property
    def id(self) -> str:
        return self._keeper.id if self._keeper else self._name

    @property
    def only_looks(self) -> bool:
        """Whether it is a look at a session that another terminal writes."""
        return bool(self.copies) and self._keeper is None

    def open(self) -> bool:
        """Begins to write, or goes on with the session that was named; whether it began a copy."""
        from medic.session.saved import Keeper

        with self._lock:  # the thread that leaves may open it as well
            if self._keeper is not None:
                return False
            try:
                self._keeper = Keeper(self._name, self._opened) if self._name else Keeper.new()
                if self.copies:
                    self._keeper.copy_talk(self.copies)
            except (OSError, MedicError) as problem:
                self._fails(problem)
                return False
        self._say_early()
        with self._lock:
            self._keep_waiting()
        return bool(self.copies)

    @property
    def unheard(self) -> list[Waiting]:
        """What was said, and waits, where nothing keeps it yet."""
        with self._lock:
            return [] if self._keeper is not None else list(self._waiting)

    def close(self) -> None:
        """Another terminal may have the session."""
        self._name, self._keeper = self.id, None

    def news(self) -> Text | None:
        """What prevents the keeping, once."""
        told, self._told = self._told, self.problem is not None
        return None if told else self.problem

    def say(self, block: Block) -> None:
        """Keeps a block that was said."""
        with self._lock:
            self._early.append(block)
            if self.problem is None:
                self._say_early()

    def _say_early(self) -> None:
        """What could not be written stays."""
        try:
            with self._lock:
                while self._early and self._keeper is not None:
                    self._keeper.say(record_of(self._early[0]))
                    del self._early[0]
        except OSError as problem:
            self._fails(problem)

    def keep(self, session: Session, more: Mapping[str, Any]) -> None:
        """Keeps the state of the session, if it is another than the last time."""
        from medic.session.said import said

        now = repr((said(session), session.case.paths, session.applied, session.left_out, more))
        if self._keeper is None or now == self._last:
            return
        try:
            self._keeper.keep(session, **more)
        except OSError as problem:
            self._fails(problem)
            return
        self._last, self.problem = now, None
        self._say_early()
        with self._lock:
            self._all_kept()

    # --- what waits ---------------------------------------------------------------------

    def hear(self, said: Mapping[str, Any], path: str = "") -> int:
        """Keeps what was said before anything is done with it; its number. ``path``: where it is
        kept until a session has it."""
        with self._lock:
            self._number = max(self._number + 1, time.time_ns() // MILLISECOND)
            self._unheard[self._number] = path
            self._waiting.append({**said, "number": self._number})
            self._keep_waiting()
            return self._number

    def followed_by(self, other: Diary) -> Diary:
        """The talk goes on with another session, which takes what was said and waits still."""
        with self._lock, other._lock:
            mine = [one for one in self._waiting if one not in self._left]
            other._waiting += mine
            other._unheard |= self._unheard
            self._waiting, self._unheard = list(self._left), {}
            if mine:
                self._keep_waiting()
                other._keep_waiting()
        return other

    def go_on(self, taken: int, left: Sequence[Waiting]) -> None:
        """``left``: what was said and not taken when the session was left; ``taken``: the number
        of what was taken last."""
        self.taking, self._left = taken, list(left)
        self._waiting = [*left, *self._waiting]
        self._number = max([taken, *(one["number"] for one in left)])

    def left(self) -> list[Waiting]:
        """What was said before the session was left, once."""
        left, self._left = self._left, []
        return left

    def taken(self, number: int) -> None:
        """What was said is part of the session now, or was answered."""
        with self._lock:
            self._waiting = [one for one in self._waiting if one["number"] != number]
            self._keep_waiting()
            _is_kept(self._unheard.pop(number, ""))

    def _keep_waiting(self) -> None:
        from medic.session import awaited

        if self._keeper is None:
            return
        try:
            awaited.keep(self._keeper.folder, self._waiting)
        except OSError as problem:
            self._fails(problem)
            return
        self._all_kept()

    def _all_kept(self) -> None:
        """A session that can be read has all that waits."""
        if self._unheard and self._keeper is not None and self._keeper.begun:
            for path in self._unheard.values():
                _is_kept(path)
            self._unheard.clear()

    def _fails(self, problem: Exception) -> None:
        why = getattr(problem, "strerror", None) or str(problem)
        told = Text(problem.en, problem.zh) if isinstance(problem, MedicError) else Text(why, why)
        self.problem = words_keep.NOT_KEPT.fill(why=told)


def _is_kept(path: str) -> None:
    from medic.session.unheard import is_kept

    is_kept(path)
