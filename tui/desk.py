"""One background thread that does the work of the consultation in order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from medic.i18n import Lang, Text, speak
from medic.records import dataclass

from . import awaited, jobs
from .events import Event, Stands, Told

if TYPE_CHECKING:
    from medic.case.collect import Case
    from medic.index.knowledge import Index

    from .consultation import Consultation
    from .lines import Block

Job = Callable[..., None]  # of the consultation and what else it takes


@dataclass(frozen=True)
class Opening:
    """How a consultation begins. ``which``: the case is one of several runs and nobody chose it;
    ``resume``: a kept session."""

    load: Callable[[], Index]
    case: Case
    demo: bool = False
    which: bool = False
    resume: str = ""


class Desk:
    """Runs jobs one after another; a job that fails is told and the next one runs.

    The thread is a daemon: leaving the app never waits for a probe that hangs.
    """

    def __init__(self, opening: Opening, emit: Callable[[Event], None]) -> None:
        self.opening = opening
        self._emit = emit
        self._jobs: SimpleQueue[tuple[Job, tuple[Any, ...], int, bool] | None] = SimpleQueue()
        self._waiting = 0
        self._says = 0  # of these what the user said in words
        self._stopped = False
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._work, name="consultation", daemon=True)

    @property
    def consultation(self) -> Consultation:
        with self._lock:  # the screen's thread may be the first that needs it
            return self._made

    @cached_property
    def _made(self) -> Consultation:
        from .consultation import Consultation

        how = self.opening
        talk = Consultation(how.load, how.case, self._emit, resume=how.resume, which=how.which)
        talk.demo = how.demo
        talk.wanted = lambda: self._waiting > 1  # the one that runs counts, too
        return talk

    @property
    def session(self) -> str:
        """The id of the kept session, if there is any."""
        return self._made.diary.id if "_made" in self.__dict__ else ""

    @property
    def problem(self) -> Text | None:
        """Why not all of it is kept."""
        return self._made.diary.problem if "_made" in self.__dict__ else None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread after the job that runs now; what still waits is dropped."""
        self.consultation.close()
        self._stopped = True
        self._jobs.put(None)
        if awaited.keep_unheard(self.consultation):
            diary = self.consultation.diary
            self._emit(Stands(frozenset(), diary.id, diary.problem))

    def put(self, job: Job, *values: Any, path: str = "") -> None:
        """``path``: where what the job takes from the user is kept already."""
        with self._lock:
            self._waiting += 1
            behind = job is jobs.say and self._says > 0
            self._says += job is jobs.say
        said, talk = awaited.record_of(job, values), self.consultation
        path = path or awaited.kept_at_once(job, values, self.opening, talk.diary.id)
        number = talk.diary.hear(said, path) if said else 0
        self._jobs.put((job, values, number, behind))

    def keep(self, block: Block) -> None:
        """Keeps what the user said, at once: before anything is done with it."""
        self.consultation.diary.say(block)

    def cancel(self) -> None:
        """Stops the probes that run."""
        self.consultation.cancel.set()

    def speak(self, lang: Lang) -> None:
        """The language of what is made into words from here on."""
        speak(lang)

    @property
    def busy(self) -> bool:
        """True while a job runs or waits."""
        return self._waiting > 0

    def _work(self) -> None:
        while (one := self._jobs.get()) is not None and not self._stopped:
            job, values, number, behind = one
            try:
                if job is jobs.say and (behind or self._says > 1):
                    awaited.tell_what(self.consultation, str(values[0]))
                awaited.do(self.consultation, job, values, number)
            except Exception as problem:  # noqa: BLE001 - told to the user; the talk goes on
                from .failures import told

                self._emit(Told(told(problem)))
            finally:
                self._emit(self._stands())
                with self._lock:
                    self._waiting -= 1
                    self._says -= job is jobs.say
        self.consultation.diary.close()

    def _stands(self) -> Stands:
        from .offers import next_step

        talk = self.consultation
        held = {
            "found": talk.found is not None and bool(talk.found.causes),
            "looked": talk.found is not None,
            "moves": bool(talk.moves),
            "files": bool(talk.case.files),
            "runs": len(talk.case.runs) > 1,
        }
        has = {name for name, is_there in held.items() if is_there} | next_step(talk)
        return Stands(frozenset(has), talk.diary.id, talk.diary.problem)
