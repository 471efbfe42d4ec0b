"""A look at the evidence: the probes run, the progress row shows them, their outcome is told and
weighed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from medic.runner.registry import title_of

from . import held, words, words_keep
from .events import Told, Working
from .lines import Block, Line, joined
from .probing import Board, ended, not_read, outcomes
from .run_values import held_against, set_aside

if TYPE_CHECKING:
    from medic.session.diagnosis import Diagnosis

    from .consultation import Consultation

SHOWN_NAMES = 3


def observe(talk: Consultation, *, pasted: bool = False) -> None:
    """Runs the probes over the files as they are and tells what became of them; ``pasted``: a log
    was pasted just now, which is what is asked about."""
    from medic.runner.registry import all_probes
    from medic.session.pasted import take_alone
    from medic.session.recheck import standing

    session = talk.session
    failed = bool(session.observed_symptoms())
    talk.cancel.clear()
    talk.stale = False
    board = Board(len(all_probes() if session.probes is None else session.probes))
    talk.looks += 1
    key = f"look {talk.looks}"
    nothing_before = not session.observed_symptoms() and not talk.resumed
    aside = {} if talk.resumed else set_aside(session)
    _run(talk, board, key)
    said, again = held_against(session, aside)
    if again:
        _run(talk, Board(board.total), key)
    if pasted and (names := take_alone(session, failed)):
        _run(talk, Board(board.total), key)
        told = words_keep.PASTED_ALONE.fill(files=", ".join(names[:SHOWN_NAMES]))
        said.append(Line(told, "warn"))
    if said:
        talk.tell(Block("medic", tuple(said)))
    before, talk.probe_lines = talk.probe_lines, outcomes(session)
    block = ended(session, talk.probe_lines, before)
    talk.emit(Told(block, key))
    talk.diary.say(block)
    if not session.evidence.cancelled:
        talk.stood = standing(session)
        if nothing_before and session.words:
            held.against_new_files(talk)
    else:
        talk.tell(words.STOPPED.fill(n=board.total - board.done), "warn")


def _run(talk: Consultation, board: Board, key: str) -> None:
    """Runs the probes; the block ``key`` shows what failed, the progress row what runs."""

    title = cache(title_of)

    def progress(name: str, state: str) -> None:
        board.take(name, state)
        running = joined(map(title, board.running))
        talk.emit(Working(running, board.done, board.total, stoppable=True))
        if state == "failed":
            talk.emit(Told(board.block(), key, passing=True))

    talk.emit(Working(words.LOOKING, 0, board.total, stoppable=True))
    try:
        talk.session.look(progress, talk.cancel)
    finally:
        talk.emit(Working(words.WEIGHING))


def tell_left_out(talk: Consultation) -> None:
    """What was not read, and why, where it is not what was told last."""
    block, talk.left_out = not_read(talk.session, talk.left_out)
    if block is not None:
        talk.tell(block, top=True)


def weigh(talk: Consultation) -> Diagnosis:
    """The diagnosis, told to be worked out meanwhile."""
    talk.emit(Working(words.WEIGHING))
    try:
        return talk.session.diagnosis()
    finally:
        talk.emit(Working(None))


def late_settings(talk: Consultation) -> None:
    """Says of settings that were written long after the log that another run may have had them."""
    from medic.report.late_text import late

    if (told := late(talk.session)) is not None:
        talk.tell(Block("more", (Line(told, "warn"),)), top=True)
