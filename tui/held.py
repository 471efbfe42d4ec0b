"""Words that the files speak against: kept as what was said, and not counted until one insists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from medic.text.safetext import one_line

from . import after, words_keep, words_talk
from .events import Choices
from .lines import Block, Line
from .seen import LONG, finding, place_of

if TYPE_CHECKING:
    from medic.session.diagnosis import EvidenceLine

    from .consultation import Consultation

QUOTED = 60
COUNT, KEEP, FORGET = "count", "", "forget"


def hold(
    talk: Consultation,
    text: str,
    shown: EvidenceLine,
    before: dict[str, Any],
    *,
    asks: bool = True,
) -> None:
    """Keeps a sentence as what was said, and tells what the files show instead; ``asks``: and the
    open question once more."""
    from medic.session.against import AGAINST

    from .sayings import by_number

    session = talk.session
    said = one_line(text, LONG)
    if said not in session.told.held:
        session.told.held.append(said)
        talk.remember(words_keep.QUOTE.fill(words=one_line(text, QUOTED)), before)
    number = next(n for n, one in by_number(talk).items() if one.key == f"held{said}")
    quote = one_line(text, QUOTED)
    otherwise = shown.weight in AGAINST
    told = words_talk.YOU_SAY if otherwise else words_talk.ANOTHER_MATTER
    told = told.fill(words=quote, finding=finding(session, shown, LONG))
    lines = [Line(told, "warn" if otherwise else "plain", where=place_of(session, shown))]
    hold_ = words_talk.FILES_HOLD if otherwise else words_talk.SAME_MATTER
    lines.append(Line(hold_.fill(n=number), "muted"))
    talk.tell(Block("medic", tuple(lines)), top=True)
    if asks:
        after.go_on(talk)
    talk.keep()


def against_new_files(talk: Consultation) -> None:
    """What was said before any file was read, where the files now show otherwise: it is held, too."""
    from medic.session.against import leader, shown_otherwise
    from medic.session.said import said, say_again

    session, told = talk.session, talk.session.told
    read = {line.strip() for line in session.prose.splitlines()}
    lines = [line for line in told.words.splitlines() if line.strip() and line.strip() not in read]
    before = said(session)
    for line in lines:
        told.unsay(line)
    session.refresh()
    stood = leader(session)
    say_again(session, before)
    shown = shown_otherwise(session, stood, ()) if lines else None
    if shown is None:
        return
    for line in lines:
        told.unsay(line)
    session.refresh()
    for line in lines:
        hold(talk, line, shown, before, asks=False)


def ask_again(talk: Consultation, text: str) -> None:
    """What shall hold: the files, or the words."""
    options = (
        (COUNT, words_talk.COUNT_IT),
        (KEEP, words_talk.KEEP_HELD),
        (FORGET, words_talk.FORGET_IT),
    )
    asked = words_talk.WHAT_OF_IT.fill(words=one_line(text, QUOTED))
    talk.offer_choices(Choices("held", text, options), Line(asked, "strong"))


def decide(talk: Consultation, text: str, value: str) -> None:
    """What the user picked: the words count after all, are forgotten, or stay held."""
    from medic.session.said import said

    session = talk.session
    if value == KEEP or text not in session.told.held:
        after.go_on(talk)
        return
    before = said(session)
    session.told.held.remove(text)
    quote = one_line(text, QUOTED)
    if value == COUNT:
        session.complain(text)
        talk.tell(words_talk.COUNTED)
    else:
        talk.tell(words_talk.FORGOTTEN.fill(words=quote))
    talk.remember(words_keep.QUOTE.fill(words=quote), before)
    talk.retell()
