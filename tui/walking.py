"""/walk: a procedure step by step, each outcome a choice; kept where it was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text, plain

from . import words_walk
from .events import Choices
from .keeping import write
from .lines import Block, Line, code, joined

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.session.saved import Saved
    from medic.session.walk import Walk

    from .consultation import Consultation

BACK, ANEW = "<back>", "<anew>"
LEAVE = ""
ALL = "all"
SUSPECTS = 5  # causes whose procedures are listed first
_GO_ON = frozenset(("continue", "go on", "继续", "接着", "接着来", "繼續"))


def walk(talk: Consultation, argument: str) -> None:
    """Begins or goes on with a procedure; without a name that of the first remedy that is one, else
    it lists those that fit. Raises UsageError for one that is not known."""
    from medic.session.walk import resume

    name = argument.strip() or _suggested(talk)
    if name in ("", ALL):
        _list(talk, whole=name == ALL)
        return
    current = resume(talk.session.index, name)
    _stand(talk, current, taken_up=bool(current.trail))


def goes_on(talk: Consultation, text: str) -> bool:
    """Whether the words are "continue" and there is a procedure to go on with, which is told."""
    from medic.session.walk import resume

    index, name = talk.session.index, str(talk.kept.get("walk") or "")
    if text.strip(" .!。！").casefold() not in _GO_ON or name not in index.procedures:
        return False
    _stand(talk, resume(index, name), taken_up=True)
    return True


def left_walk(index: Index, saved: Saved) -> Text | None:
    """Where the procedure of a kept session was left; None where it had none, or it is over."""
    from medic.session.walk import resume

    name = str(saved.data.get("walk") or "")
    if name not in index.procedures:
        return None
    current = resume(index, name)
    if current.step is None:
        return None
    title, n = current.procedure.title, len(current.trail) + 1
    return words_walk.WAS_LEFT.fill(title=title, n=n, name=name)


def _suggested(talk: Consultation) -> str:
    offers = talk.offers() if talk.found is not None else []
    named = (o.fix.remedy.procedure for o in offers)
    return next((name for name in named if name), "")


def _fitting(talk: Consultation) -> list[str]:
    """Procedures that end at a suspect."""
    if talk.found is None:
        return []
    suspects = {c.name for c in talk.found.causes[:SUSPECTS]}
    return [
        name
        for name, one in talk.session.index.procedures.items()
        if suspects & {to for step in one.steps for to in step.outcomes.values()}
    ]


def _list(talk: Consultation, *, whole: bool) -> None:
    index = talk.session.index
    every = list(index.raw["procedures"])
    names = every if whole else _fitting(talk)
    title = words_walk.PROCEDURES if whole else words_walk.FITTING
    lines = [Line(title if names else words_walk.NONE_FITS, "strong")]
    lines += [
        Line(joined([plain(name), index.title(name)], ": ", "："), indent=2) for name in names
    ]
    if rest := len(every) - len(names):
        lines.append(Line(words_walk.LIST_ALL.fill(n=rest), "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)


def choose(talk: Consultation, name: str, value: str) -> None:
    """What came out of the step, one step back, or leaving it for now."""
    from medic.session.walk import keep, resume

    current = resume(talk.session.index, name)
    talk.walking = None
    if value == LEAVE:
        talk.tell(words_walk.LEFT.fill(name=name))
        talk.ask()
        talk.keep()
        return
    if value == BACK:
        current.back()
    elif value == ANEW:
        current.trail.clear()
    else:
        current.take(value)
    keep(current)
    _stand(talk, current)


def _stand(talk: Consultation, current: Walk, *, taken_up: bool = False) -> None:
    """The step to do now, or what the walk has shown. One that was left, maybe for another run, can
    be begun anew."""
    from medic.session.foreign import own_command
    from medic.session.walk import outcome_title

    step = current.step
    talk.kept["walk"] = current.procedure.name if step is not None else ""
    if step is None:
        _end(talk, current)
        talk.keep()
        return
    number = len(current.trail) + 1
    title = Line(current.procedure.title, "strong", f"{number}) ")
    talk.tell(Block("medic", (title, Line(step.do, indent=3))), top=True)
    for text in (own_command(talk.session, t) for t in (step.command, step.snippet)):
        if text.strip():
            talk.tell(code(text))
    if step.emit:
        talk.tell(words_walk.MAKES_FILES)
        talk.tell(code(f"medic walk {current.procedure.name} CONFIG LAUNCH.sh --out DIR"))
    options = [(outcome, outcome_title(step, outcome)) for outcome in step.outcomes]
    if current.trail:
        options.append((BACK, words_walk.BACK))
    if current.trail and taken_up:
        options.append((ANEW, words_walk.ANEW))
    options.append((LEAVE, words_walk.LATER))
    talk.walking = Choices("walk", current.procedure.name, tuple(options))
    talk.offer_choices(talk.walking, Line(words_walk.WHAT_CAME_OUT, "strong"))
    write(talk)
    talk.keep()


def ask(talk: Consultation) -> None:
    """What came out of the step where the walk stands: what was said meanwhile ends no walk."""
    if talk.walking is not None:
        talk.offer_choices(talk.walking, Line(words_walk.GOES_ON, "strong"))


def _end(talk: Consultation, current: Walk) -> None:
    index = talk.session.index
    if not current.cause:
        talk.tell(words_walk.DONE, "good")
        talk.ask()
        return
    cause = index.causes[current.cause]
    remedy = index.remedies[cause.remedies[0]]
    lines = [Line(words_walk.IT_IS.fill(title=cause.title, code=cause.code), "strong")]
    lines.append(Line(words_walk.FIRST.fill(title=remedy.title), indent=3))
    if "{" not in remedy.do.en:
        lines.append(Line(remedy.do, indent=3))
    lines += _against(talk, current.cause)
    talk.tell(Block("medic", tuple(lines)), top=True)
    more: Text = words_walk.MORE.fill(name=cause.name)
    talk.tell(more, "muted")
    talk.ask()


STRONG = ("strongly-against", "rules-out")
SETTLED = ("almost-certain", "likely")


def _against(talk: Consultation, name: str) -> list[Line]:
    """That the files speak against what a walk has come to: steps are done by hand, and one of
    them may have been misread."""
    from medic.session.against import of_files
    from medic.session.diagnosis import evidence_for

    from .ruled_out import reason
    from .seen import LONG, finding, place_of

    found = talk.found
    if found is None:
        return []
    session = talk.session
    for view in found.ruled_out:
        if view.name == name and view.pruned_by is not None:
            why, where = reason(session, view)
            return [_but(words_walk.RULED_OUT.fill(finding=why), where)]
    for line in evidence_for(session.index, session.index.causes[name], of_files(session)):
        if line.weight in STRONG:
            why = finding(session, line, LONG)
            return [_but(words_walk.SPEAKS_AGAINST.fill(finding=why), place_of(session, line))]
    leads = found.causes[0] if found.causes else None
    if leads is None or leads.name == name or leads.word not in SETTLED:
        return []
    return [_but(words_walk.FILES_SAY.fill(title=leads.title, code=leads.code), None)]


def _but(text: Text, where: Text | None) -> Line:
    return Line(text, "strong", "! ", indent=3, where=where)
