"""A kept session taken up again: what was said is shown, and holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from medic.i18n import Text, plain
from medic.report.words import CHANCE

from . import words_keep
from .awaited import take_left
from .consultation import Consultation
from .diary import Diary
from .events import OPEN, WRONG, WRONG_SET, Asked, Suspect, Suspected
from .keeping import told_before
from .lines import said
from .moves import Move
from .walking import left_walk

MAX_LISTED = 15

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.session.consultation import Session
    from medic.session.saved import Saved


def take_up(talk: Consultation, index: Index, name: str, *, why: Text | None = None) -> Session:
    """The session of ``name`` over its files as they are now; ``why`` it goes on, where nobody
    asked for it. Raises UsageError."""
    from medic.session import awaited
    from medic.session.again import case_of, restore
    from medic.session.consultation import Session
    from medic.session.recheck import Applied, take_again
    from medic.session.saved import load

    saved = load(name)
    session = Session(index, case_of(saved, index))
    restore(session, saved)
    talk.forget()
    talk.emit(Asked(None))
    elsewhere = saved.is_open
    diary = Diary(copies=saved.id) if elsewhere else Diary(saved.id, saved.opened)
    talk.diary = talk.diary.followed_by(diary)
    if not elsewhere:
        talk.diary.go_on(saved.data.get("taken", 0), awaited.kept(saved))
        talk.diary.open()
    talk.kept = {name: saved.data.get(name) for name in ("verdict", "leader", "stand", "walk")}
    talk.demo = bool(saved.data.get("demo"))
    talk.moves = [_move(saved, data) for data in saved.data.get("moves", ())]
    talk.numbers = [str(key) for key in saved.data.get("numbers", ())]
    stood = saved.data.get("stood")
    talk.stood = Applied.of(stood) if stood else None
    waiting = saved.data.get("waiting")
    gone = _drop_taken_back(talk, session)
    talk.waiting = next((a for a in session.applied if waiting and a.change == waiting), None)
    if talk.waiting is None:
        take_again(session, talk.stood)  # the log of another run may have come meanwhile
    talk.emit(Suspected(_suspects(saved)))
    if elsewhere:
        talk.emit_only(said(words_keep.OPEN_TOO.fill(id=saved.id), "warn"))
    else:
        talk.emit_only(said((why or words_keep.RESUMED).fill(id=saved.id), "strong"))
    for what in gone:
        talk.emit_only(said(words_keep.TAKEN_BACK_SINCE.fill(what=what), "warn"))
    if (walk := left_walk(index, saved)) is not None:
        talk.emit_only(said(walk))
    talk.by_itself = why is not None
    return session


def _drop_taken_back(talk: Consultation, session: Session) -> list[Text]:
    """Changes that ``medic undo`` took back meanwhile: no run of them is awaited, and there is
    nothing to restore. Which they were."""
    from medic.session.saved import taken_back

    gone = {a.change for a in session.applied if taken_back(a.change)}
    told = [move.what for move in talk.moves if move.change in gone]
    session.applied = [a for a in session.applied if a.change not in gone]
    talk.moves = [move for move in talk.moves if move.change not in gone]
    return told


def _suspects(saved: Saved) -> tuple[Suspect, ...] | None:
    """Who led when it was left, until the files are looked at."""
    leader = saved.data.get("leader") or {}
    if saved.title is None or saved.verdict not in ("likely", "unclear", "established"):
        return None
    word = str(leader.get("word", ""))
    if word not in CHANCE:
        return None
    word = OPEN if word in ("unlikely", "ruled-out") else word
    if leader.get("wrong") in (WRONG, WRONG_SET):
        word = str(leader["wrong"])
    return (Suspect(saved.title, saved.code, word, float(leader.get("chance", 0.0))),)


def tell_again(talk: Consultation, name: str) -> None:
    """The last of a kept talk, shown once more and not kept twice."""
    for block in told_before(name):
        talk.emit_only(block)


def go_on(talk: Consultation, name: str) -> None:
    """Takes up a session that waits for the run after a change, as nobody begins anew there."""
    tell_again(talk, name)
    why = words_keep.WAITS_FOR_RUN
    talk.take_session(take_up(talk, talk.session.index, name, why=why))


def _move(saved: Saved, data: Any) -> Move:
    from medic.session.again import said_from_here

    (en, zh), before, change = data
    return Move(Text(en, zh), before and said_from_here(saved, before), change)


def resume(talk: Consultation, argument: str) -> None:
    """/resume: goes on with a kept session; without an id with the newest other one that is about
    the same folder and came to a verdict, else with the newest other one."""
    from medic.session.saved import listed, load

    from .starting import is_here

    others = [s for s in listed() if s.id != talk.diary.id]
    others = [s for s in others if not s.is_open] or others
    here = [s.id for s in others if s.verdict and is_here(s, talk.case)]
    name = argument.strip() or next(iter([*here, *(s.id for s in others)]), "")
    if not name:
        talk.tell(words_keep.NO_SESSIONS)
        return
    tell_again(talk, load(name).id)
    session = take_up(talk, talk.session.index, name)
    talk.take_session(session)
    take_left(talk)


def sessions(talk: Consultation, _argument: str) -> None:
    """/sessions: what is kept."""
    from medic.report.saved_text import by_minute, outcome
    from medic.session.saved import listed

    from .lines import Block, Line

    kept = by_minute(listed())
    if not kept:
        talk.emit_only(said(words_keep.NO_SESSIONS))
        return
    lines = [Line(words_keep.SESSIONS, "strong")]
    for saved in kept[:MAX_LISTED]:
        root = plain(saved.place)
        lines.append(Line(outcome(saved, coded=False), mark=f"{saved.id:<5}", indent=1, where=root))
    lines.append(Line(words_keep.RESUME_WITH, "muted"))
    talk.emit_only(Block("medic", tuple(lines)))
