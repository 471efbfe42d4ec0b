"""/ruleout: one cause that the user rules out by hand; beliefs are worked out without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.text.safetext import one_line

from . import words_talk
from .keeping import write
from .lines import Block, Line
from .sayings import by_number
from .seen import LONG, finding, place_of

if TYPE_CHECKING:
    from .consultation import Consultation

TITLE = Text("{title} ({code})", "{title}（{code}）")
FOR = ("confirms", "strong")


def ruleout(talk: Consultation, argument: str) -> None:
    """By the number of a suspect, a name or a code. Raises UsageError for an unknown name."""
    from .compare import suspect

    if talk.found is None:
        talk.found = talk.session.diagnosis()
    suspects = talk.found.causes
    word = argument.strip()
    if word and (not word.isdecimal() or 1 <= int(word) <= len(suspects)):
        by_hand(talk, suspect(talk, word), f"/ruleout {word}")
    elif suspects:
        rows = [
            Line(TITLE.fill(title=c.title, code=c.code), mark=f"{n}  ", indent=1)
            for n, c in enumerate(suspects, start=1)
        ]
        talk.tell(Block("medic", (Line(words_talk.RULE_OUT_WHICH, "strong"), *rows)), top=True)
    else:
        talk.tell(words_talk.NO_SUSPECT)


def by_hand(talk: Consultation, cause: str, quote: str) -> None:
    """Takes a cause out of question, as the person's word; what speaks for it is told."""
    from medic.session.diagnosis import evidence_for
    from medic.session.said import said

    session = talk.session
    entry = session.index.causes[cause]
    if cause in session.told.ruled:
        talk.tell(words_talk.RULED_ALREADY.fill(title=entry.title))
        return
    before = said(session)
    session.told.ruled[cause] = one_line(quote, LONG)
    session.refresh()
    write(talk)
    number = next(n for n, one in by_number(talk).items() if one.key == f"ruled{cause}")
    talk.remember(words_talk.NOT_THIS.fill(title=entry.title), before)
    told = words_talk.RULED_OUT_NOW.fill(title=entry.title, code=entry.code, n=number)
    lines = [Line(told, "strong")]
    strong = next((e for e in evidence_for(session.index, entry, session.found)), None)
    if strong is not None and strong.weight in FOR:
        text = words_talk.SPOKE_FOR_IT.fill(finding=finding(session, strong, LONG))
        lines.append(Line(text, "muted", indent=2, where=place_of(session, strong)))
    talk.tell(Block("medic", tuple(lines)))
    talk.retell()
