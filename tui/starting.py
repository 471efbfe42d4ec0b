"""The first words: which run, what goes wrong, and whether the user was here before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import words, words_keep
from .events import Asked, Choices, Suspected, Told, Working
from .lines import Block, Line, asking, joined, said
from .opening import MAX_RUNS, runs
from .telling import numbered
from .walking import left_walk

if TYPE_CHECKING:
    from medic.case.collect import Case
    from medic.i18n import Text
    from medic.index.knowledge import Index
    from medic.session.runstates import RunState
    from medic.session.saved import Saved

    from .consultation import Consultation


def ask_run(talk: Consultation) -> None:
    """Which of several runs is meant; how they stand is told when their logs have been read."""
    choices = Choices("run", "", runs(talk.case))
    talk.lists += 1
    talk.emit(Told(_listed(talk, choices), f"runs {talk.lists}", passing=True))
    talk.emit(Asked(choices))


def tell_stands(talk: Consultation) -> None:
    """How each of the runs stands, by the end of its logs, in the list that is shown; it ends where
    the user has chosen meanwhile."""
    from medic.session.runstates import states

    case, index = talk.case, talk.session.index
    talk.cancel.clear()
    names = case.runs[:MAX_RUNS]
    stand: dict[str, Text] = {}
    talk.emit(Working(words.LOOKING_AT_RUNS, 0, len(names), stoppable=True))
    for name, run in states(case.root, names, index):
        stand[name] = stands(run, index)
        talk.emit(Working(words.LOOKING_AT_RUNS, len(stand), len(names), stoppable=True))
        if talk.cancel.is_set() or talk.wanted():
            break
    block = _listed(talk, Choices("run", "", runs(case, stand)))
    talk.diary.say(block)
    talk.emit(Told(block, f"runs {talk.lists}"))


def _listed(talk: Consultation, choices: Choices) -> Block:
    older = len(talk.case.runs) - MAX_RUNS
    more = (Line(words_keep.OTHER_RUNS.fill(n=older), "muted"),) if older > 0 else ()
    return asking((Line(words_keep.WHICH_RUN, "strong"),), numbered(choices.options), more)


def stands(run: RunState, index: Index) -> Text:
    """How a run stands, in words, with the last step that its log tells."""
    state = words_keep.RUN_STATES[run.state]
    if run.symptom:
        state = words_keep.RUN_FAILED.fill(title=index.title(run.symptom))
    if run.step is None:
        return state
    return joined([state, words_keep.AT_STEP.fill(step=run.step)], ", ", "，")


def ask_what(talk: Consultation) -> None:
    """One friendly question, where there is nothing to look at."""
    options = (*words_keep.COMPLAINTS, ("", words_keep.SOMETHING_ELSE))
    choices = Choices("complaint", "", options)
    or_say = Line(words_keep.OR_SAY, "muted")
    talk.offer_choices(choices, Line(words_keep.WHAT_IS_WRONG, "strong"), or_say)


def anew(talk: Consultation, argument: str) -> None:
    """/new: a fresh consultation over the files as they are now, or over another path. Nothing that
    was said holds; the one before is kept. Raises UsageError for a path with nothing to read."""
    from medic.case.collect import Case, collect
    from medic.errors import UsageError

    case, path = talk.case, argument.strip().strip("\"'")
    run, paths = ("", [str(Path(path).expanduser())]) if path else (case.run, list(case.paths))
    stated = talk.session.quotes
    given = {name: value for name, value in case.given.items() if name not in stated}
    try:
        fresh = collect(paths, run=run, given=given, this_host=case.this_host)
    except UsageError:
        if path:
            raise
        # Where nothing is to be read the words are the case, as they were at the start.
        fresh = Case(root=case.root, paths=case.paths, given=given, this_host=case.this_host)
    left = talk.diary.id
    told = words_keep.ANEW_KEPT.fill(id=left) if left else words_keep.ANEW
    talk.emit(Asked(None))
    talk.emit(Suspected(None))
    talk.emit_only(said(told, "strong"))
    talk.take_case(fresh)


def tell_before(talk: Consultation) -> None:
    """That a kept session is about the same folder."""
    if (told := before(talk)) is not None:
        talk.emit_only(told)


def before(talk: Consultation) -> Block | None:
    """The kept session about the same folder that was left last, if there is one."""
    from medic.errors import UsageError
    from medic.report.saved_text import outcome
    from medic.session.saved import listed

    if talk.demo or _goes_on(talk):
        return None
    try:
        here = [s for s in listed() if is_here(s, talk.case) and s.verdict]
    except (UsageError, OSError):
        return None
    if not here:
        return None
    told = words_keep.BEFORE.fill(id=here[0].id, what=outcome(here[0], coded=False))
    walk = left_walk(talk.session.index, here[0])
    if walk is not None:
        talk.kept["walk"] = here[0].data["walk"]
    return Block("medic", (Line(told, "muted"), *((Line(walk),) if walk is not None else ())))


def _goes_on(talk: Consultation) -> bool:
    """Whether it is about a kept session already."""
    return bool(talk.diary.id or talk.diary.copies)


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
    if talk.demo or _goes_on(talk) or case.given or case.text or not case.root:
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
    same = is_here(saved, case) and kept["run"] == case.run
    return same and {_here(path) for path in case.paths} <= read


def is_here(saved: Saved, case: Case) -> bool:
    """Whether a kept session is about the folder of a case."""
    return _folder(saved) == _here(case.root)


def _holds(change: str) -> bool:
    """Whether a change is written and was not taken back. Raises UsageError."""
    from medic.edits import records

    return bool(change) and records.load(change).state == "applied"


def _folder(saved: Saved) -> Path:
    return Path(saved.data["case"]["cwd"]) / saved.root


def _here(root: str) -> Path:
    return Path.cwd() / root
