"""The first words: which run, what goes wrong, and whether the user was here before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import words_keep
from .events import Choices
from .lines import Line, said
from .opening import MAX_RUNS, runs

if TYPE_CHECKING:
    from medic.saved import Saved

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
    from medic.errors import UsageError
    from medic.report.saved_text import outcome
    from medic.saved import listed

    if talk.demo or talk.diary.id:
        return
    try:
        here = [s for s in listed() if _folder(s) == _here(talk.case.root) and s.verdict]
    except (UsageError, OSError):
        return
    if here:
        told = words_keep.BEFORE.fill(id=here[0].id, what=outcome(here[0], coded=False))
        talk.emit_only(said(told, "muted"))


def _folder(saved: Saved) -> Path:
    return Path(saved.data["case"]["cwd"]) / saved.root


def _here(root: str) -> Path:
    return Path.cwd() / root
