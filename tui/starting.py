"""The first words: which run, what goes wrong, and whether the user was here before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import words_keep
from .events import Choices
from .lines import Block, Line
from .opening import MAX_RUNS, runs
from .walking import left_walk

if TYPE_CHECKING:
    from medic.case.collect import Case
    from medic.session.saved import Saved

    from .consultation import Consultation


def ask_run(talk: Consultation) -> None:
    """Which of several runs is meant."""
    choices = Choices("run", "", runs(talk.case))
    older = len(talk.case.runs) - MAX_RUNS
    more = (Line(words_keep.OTHER_RUNS.fill(n=older), "muted"),) if older > 0 else ()
    talk.offer_choices(choices, Line(words_keep.WHICH_RUN, "strong"), *more)


def ask_what(talk: Consultation) -> None:
    """One friendly question, where there is nothing to look at."""
    options = (*words_keep.COMPLAINTS, ("", words_keep.SOMETHING_ELSE))
    choices = Choices("complaint", "", options)
    or_say = Line(words_keep.OR_SAY, "muted")
    talk.offer_choices(choices, Line(words_keep.WHAT_IS_WRONG, "strong"), or_say)


def tell_before(talk: Consultation) -> None:
    """That a kept session is about the same folder."""
    if (told := before(talk)) is not None:
        talk.emit_only(told)


def before(talk: Consultation) -> Block | None:
    """The kept session about the same folder that was left last, if there is one."""
    from medic.errors import UsageError
    from medic.report.saved_text import outcome
    from medic.session.saved import listed

    if talk.demo or talk.diary.id:
        return None
    try:
        here = [s for s in listed() if _folder(s) == _here(talk.case.root) and s.verdict]
    except (UsageError, OSError):
        return None
    if not here:
        return None
    told = words_keep.BEFORE.fill(id=here[0].id, what=outcome(here[0], coded=False))
    walk = left_walk(talk.session.index, here[0])
    if walk is not None:
        talk.kept["walk"] = here[0].data["walk"]
    return Block("medic", (Line(told, "muted"), *((Line(walk),) if walk is not None else ())))


def look_first(talk: Consultation) -> None:
    """The first look; where a change waits for its run, that session goes on instead."""
    if name := unfinished(talk):
        from .resuming import go_on

        go_on(talk, name)
        return
    told = before(talk)
    talk.look()
    if told is not None:
        talk.emit_only(told)  # below the answer, which would push it out of sight


def unfinished(talk: Consultation) -> str:
    """The id of the last kept session of the same run, where a change that it wrote waits for the
    next run to be read; "" if it is over, or other values are given now."""
    from medic.errors import UsageError
    from medic.session.saved import listed

    case = talk.case
    if talk.demo or talk.diary.id or case.given or case.text or not case.root:
        return ""
    try:
        last = next((s for s in listed() if s.verdict and _is_of(s, case)), None)
        holds = last is not None and _holds(str(last.data.get("waiting") or ""))
    except (UsageError, OSError):
        return ""
    return last.id if last is not None and holds else ""


def _is_of(saved: Saved, case: Case) -> bool:
    """Whether a session is about the run of a case, and read all that is given now."""
    kept = saved.data["case"]
    read = {Path(kept["cwd"]) / path for path in kept["paths"]}
    same = _folder(saved) == _here(case.root) and kept["run"] == case.run
    return same and {_here(path) for path in case.paths} <= read


def _holds(change: str) -> bool:
    """Whether a change is written and was not taken back. Raises UsageError."""
    from medic.edits import records

    return bool(change) and records.load(change).state == "applied"


def _folder(saved: Saved) -> Path:
    return Path(saved.data["case"]["cwd"]) / saved.root


def _here(root: str) -> Path:
    return Path.cwd() / root
