"""/undo: takes back the newest of what was said, given and changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from medic.errors import ChangedSince, EditRefused
from medic.i18n import Text

from . import words_more
from .events import Choices
from .lines import Block, Line

if TYPE_CHECKING:
    from .consultation import Consultation
    from .moves import Move

FORCE, KEEP, LATER = "force", "keep", ""


def undo(talk: Consultation, _argument: str) -> None:
    """Takes back the newest; where its files were edited or deleted since, asks what to do."""
    if not talk.moves:
        talk.tell(words_more.NOTHING_TO_UNDO)
        return
    move = talk.moves[-1]
    try:
        here = _restore(move.change, force=False)
    except EditRefused as problem:
        _ask(talk, move, problem)
        return
    _taken_back(talk, move, here=here)


def choose(talk: Consultation, change: str, value: str) -> None:
    """What to do with a change whose files are no longer as it left them. Raises EditRefused."""
    move = next((m for m in talk.moves if m.change == change), None)
    if move is None or value == LATER:
        talk.ask()
        return
    if value == FORCE:
        _taken_back(talk, move, here=_restore(change, force=True))
        return
    talk.moves.remove(move)
    talk.tell(words_more.LEFT_AS_IT_IS.fill(what=move.what))
    talk.ask()
    talk.keep()


def _restore(change: str, *, force: bool) -> bool:
    """Whether a change was restored here: what ``medic undo`` has taken back beside the app is so
    already. Raises EditRefused."""
    from medic.edits import records
    from medic.edits import undo as take_back

    if not change or records.load(change).state == "undone":
        return False
    take_back(change, force=force)
    return True


def _ask(talk: Consultation, move: Move, problem: EditRefused) -> None:
    title = words_more.NOT_RESTORED.fill(what=move.what)
    talk.tell(Block("medic", (Line(title, "warn"), Line(_why(move, problem), indent=2))))
    options = (
        (FORCE, words_more.RESTORE_ANYWAY if _any_left(move) else words_more.WRITE_AGAIN),
        (KEEP, words_more.LEAVE_FILES),
        (LATER, words_more.DO_NOTHING),
    )
    choices = Choices("restore", move.change, options)
    talk.offer_choices(choices, Line(words_more.WHAT_NOW, "strong"))


def _why(move: Move, problem: EditRefused) -> Text:
    """What is in the way: how to force it from a shell is no part of it here."""
    if isinstance(problem, ChangedSince):
        told = words_more.DELETED_SINCE if problem.deleted else words_more.CHANGED_SINCE
        return told.fill(file=problem.at, change=move.change)
    at = f"{problem.at}: " if problem.at else ""
    return Text(f"{at}{problem.en}", f"{at}{problem.zh}")


def _any_left(move: Move) -> bool:
    """Whether any of the files of a change is still there."""
    from medic.edits import records

    return any(Path(one.target).exists() for one in records.load(move.change).touched)


def _taken_back(talk: Consultation, move: Move, *, here: bool) -> None:
    from medic.session import said

    session = talk.session
    if move.change:
        session.applied = [a for a in session.applied if a.change != move.change]
    other = move.before is not None and said.take_back(session, move.before)
    talk.moves.remove(move)
    if not session.tried:
        talk.before_remedy = None
    if move.change:
        talk.waiting = None
        talk.files_changed()
        told = words_more.RESTORED if here else words_more.RESTORED_BEFORE
        talk.tell(told.fill(what=move.what), "good" if here else "plain", top=True)
    else:
        talk.tell(words_more.TOOK_BACK.fill(what=move.what), top=True)
    if move.change or other:
        talk.look(whole=False)
    else:
        talk.retell()
