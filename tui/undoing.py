"""/undo: takes back the newest of what was said, given and changed."""

from __future__ import annotations

from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from medic.errors import ChangedSince, EditRefused
from medic.i18n import Text
from medic.text.safetext import one_line

from . import after, words_after, words_more
from .earlier import titles
from .events import Choices
from .lines import Block, Line, code

if TYPE_CHECKING:
    from .consultation import Consultation
    from .moves import Move

RESTORE, FORCE, KEEP, LATER = "yes", "force", "keep", ""
MAX_FILE = 2 * 1024 * 1024  # bytes of a file whose lines are compared
MAX_SHOWN = 12  # lines of what returns


def undo(talk: Consultation, _argument: str) -> None:
    """Takes back the newest of what was said. Files are only restored after asking: a talk goes
    back word by word, and a change of files may be what mended the run."""
    if not talk.moves:
        talk.tell(words_more.NOTHING_TO_UNDO)
        return
    move = talk.moves[-1]
    if move.change and _as_written(move.change):
        _ask_first(talk, move)
    else:
        _take_back(talk, move)


def restore(talk: Consultation, change: str) -> None:
    """Takes back a change that the user named."""
    move = next((m for m in talk.moves if m.change == change), None)
    if move is None:
        talk.tell(words_more.NOTHING_TO_UNDO)
    else:
        _take_back(talk, move)


def _take_back(talk: Consultation, move: Move) -> None:
    """Where its files were edited or deleted since, asks what to do."""
    try:
        here = _restore(move.change, force=False)
    except EditRefused as problem:
        _ask(talk, move, problem)
        return
    _taken_back(talk, move, here=here)


def _as_written(change: str) -> bool:
    """Whether a change holds and its files are as it left them."""
    from medic.edits import records

    record = records.load(change)
    if record.state != "applied":
        return False
    try:
        return all(_hash(Path(one.target)) == one.after for one in record.touched)
    except OSError:
        return False


def _hash(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _ask_first(talk: Consultation, move: Move) -> None:
    """What comes back with the files, and whether the change was seen to help."""
    applied = next((a for a in talk.session.applied if a.change == move.change), None)
    lines = []
    if applied is not None and applied.symptoms and applied.shown in ("gone", "other"):
        returns = words_after.RETURNS.fill(titles=titles(talk.session, applied))
        lines.append(Line(returns, "warn"))
    elif applied is not None and applied.shown in words_after.SHOWN and applied.shown:
        shown = words_after.SHOWN[applied.shown]
        lines.append(Line(words_more.RESTORE_SHOWN.fill(shown=shown), "warn"))
    lines.append(Line(words_more.RESTORE_WHAT.fill(what=move.what), "strong"))
    talk.tell(Block("medic", tuple(lines)))
    talk.tell(code(_returns(move.change), diff=True))
    options = (
        (RESTORE, words_more.RESTORE_FILES),
        (KEEP, words_more.LEAVE_FILES),
        (LATER, words_more.DO_NOTHING),
    )
    choices = Choices("restore", move.change, options)
    talk.offer_choices(choices, Line(words_more.WHAT_NOW, "strong"))


def _returns(change: str) -> str:
    """The lines that go and those that return, without those around them."""
    from medic.edits import records

    rows: list[str] = []
    for number, one in enumerate(records.load(change).touched):
        now, before = (_lines(p) for p in (Path(one.target), records.backup(change, number)))
        rows += unified_diff(now, before, one.file, one.file, n=0, lineterm="")
    rows = [row for row in rows if not row.startswith("@@")]
    more = [f"... +{len(rows) - MAX_SHOWN}"] if len(rows) > MAX_SHOWN else []
    return "\n".join(rows[:MAX_SHOWN] + more)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_bytes()[:MAX_FILE].decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def choose(talk: Consultation, change: str, value: str) -> None:
    """What to do with a change whose files are no longer as it left them. Raises EditRefused."""
    move = next((m for m in talk.moves if m.change == change), None)
    if move is None or value == LATER:
        after.go_on(talk)
        return
    if value == RESTORE:
        _take_back(talk, move)
        return
    if value == FORCE:
        _taken_back(talk, move, here=_restore(change, force=True))
        return
    talk.moves.remove(move)
    talk.tell(words_more.LEFT_AS_IT_IS.fill(what=move.what))
    after.go_on(talk)
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
    before = next((a for a in session.applied if a.change == move.change != ""), None)
    if move.change:
        session.applied = [a for a in session.applied if a.change != move.change]
    other = move.before is not None and said.take_back(session, move.before)
    if other and not move.change:
        talk.stood = None  # what is no longer read is not gone
    talk.moves.remove(move)
    if not session.tried:
        talk.before_remedy = None
    if move.change:
        talk.waiting = None
        talk.files_changed()
        told = words_more.RESTORED if here else words_more.RESTORED_BEFORE
        talk.tell(told.fill(what=move.what), "good" if here else "plain", top=True)
        if here:
            _tell_kept(talk, move.change)
        if before is not None and before.symptoms and before.shown in ("gone", "other"):
            talk.tell(words_after.BACK_AGAIN.fill(titles=titles(session, before)), "warn")
    else:
        talk.tell(words_more.TOOK_BACK.fill(what=move.what), top=True)
        _tell_standing(talk)
    if move.change or other:
        talk.look(whole=False)
    else:
        talk.retell()


def _tell_kept(talk: Consultation, change: str) -> None:
    """Where the text of a later edit is that was written over."""
    from medic.edits import records

    for path in records.kept_of(records.load(change)):
        talk.tell(words_more.OVERWRITTEN.fill(path=one_line(str(path))))


def _tell_standing(talk: Consultation) -> None:
    """A word was taken back: that the newest change of files is as it was, where there is one."""
    changed = [move for move in talk.moves if move.change]
    if not changed or not _as_written(changed[-1].change):
        return
    next_one = changed[-1] is talk.moves[-1]
    told = words_more.FILES_STAY if next_one else words_more.FILES_STAY_BEHIND
    told = told.fill(what=changed[-1].what, id=changed[-1].change)
    talk.tell(Block("more", (Line(told, "warn"),)))
