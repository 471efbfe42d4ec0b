"""/walk: a procedure step by step, each outcome a choice; kept where it was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text, plain

from . import words_walk
from .events import Choices
from .lines import Block, Line, code, joined

if TYPE_CHECKING:
    from medic.session.walk import Walk

    from .consultation import Consultation

BACK = "<back>"
LEAVE = ""


def walk(talk: Consultation, argument: str) -> None:
    """Begins or goes on with a procedure. Raises UsageError for one that is not known."""
    from medic.session.walk import resume

    name = argument.strip() or _suggested(talk)
    if not name:
        _list(talk)
        return
    _stand(talk, resume(talk.session.index, name))


def _suggested(talk: Consultation) -> str:
    """The procedure of the first remedy that is one."""
    offers = talk.offers() if talk.found is not None else []
    named = (o.fix.remedy.procedure for o in offers)
    return next((name for name in named if name), "")


def _list(talk: Consultation) -> None:
    index = talk.session.index
    lines = [Line(words_walk.PROCEDURES, "strong")]
    lines += [
        Line(joined([plain(name), index.title(name)], ": ", "："), indent=2)
        for name in index.raw["procedures"]
    ]
    talk.tell(Block("medic", tuple(lines)), top=True)


def choose(talk: Consultation, name: str, value: str) -> None:
    """What came out of the step, one step back, or leaving it for now."""
    from medic.session.walk import keep, resume

    current = resume(talk.session.index, name)
    talk.walking = None
    if value == LEAVE:
        talk.tell(words_walk.LEFT.fill(name=name))
        talk.ask()
        return
    if value == BACK:
        current.back()
    else:
        current.take(value)
    keep(current)
    _stand(talk, current)


def _stand(talk: Consultation, current: Walk) -> None:
    """The step to do now, or what the walk has shown."""
    from medic.session.walk import outcome_title

    step = current.step
    if step is None:
        _end(talk, current)
        return
    number = len(current.trail) + 1
    title = Line(current.procedure.title, "strong", f"{number}) ")
    talk.tell(Block("medic", (title, Line(step.do, indent=3))), top=True)
    for text in (step.command, step.snippet):
        if text.strip():
            talk.tell(code(text))
    if step.emit:
        talk.tell(words_walk.MAKES_FILES)
        talk.tell(code(f"medic walk {current.procedure.name} CONFIG LAUNCH.sh --out DIR"))
    options = [(outcome, outcome_title(step, outcome)) for outcome in step.outcomes]
    if current.trail:
        options.append((BACK, words_walk.BACK))
    options.append((LEAVE, words_walk.LATER))
    talk.walking = Choices("walk", current.procedure.name, tuple(options))
    talk.offer_choices(talk.walking, Line(words_walk.WHAT_CAME_OUT, "strong"))


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
    talk.tell(Block("medic", tuple(lines)), top=True)
    more: Text = words_walk.MORE.fill(name=cause.name)
    talk.tell(more, "muted")
    talk.ask()
