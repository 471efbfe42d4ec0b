"""What each /word does to the consultation. Runs on the desk's thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.nearest import nearest

from . import probing, reasons, telling, tree, walking, words, words_more
from .answers import offer_runs, take_run
from .events import Asked, Choices, Previewed
from .lines import Block, Line, code
from .telling import numbered

if TYPE_CHECKING:
    from .consultation import Consultation
    from .offers import Offer

Order = Callable[["Consultation", str], None]


def why(talk: Consultation, _argument: str) -> None:
    if talk.found is None:
        talk.tell(words_more.NO_LEADER)
        return
    talk.tell_all(reasons.why(talk.session, talk.found, talk.question), top=True)


def graph(talk: Consultation, _argument: str) -> None:
    if talk.found is None:
        talk.found = talk.session.diagnosis()
    talk.tell(tree.tree(talk.session, talk.found), top=True)


def probes(talk: Consultation, _argument: str) -> None:
    talk.tell(probing.in_full(talk.session), top=True)


def look(talk: Consultation, _argument: str) -> None:
    talk.look()


def none(talk: Consultation, _argument: str) -> None:
    session = talk.session
    if session.refused:
        return
    session.refuse(True)
    talk.remember(words.NONE_OF_THESE, lambda: session.refuse(False))
    talk.tell(words_more.SAID_NONE)
    talk.retell()


def add(talk: Consultation, argument: str) -> None:
    """Adds a file or folder and looks again, or says why it was not read."""
    path = argument.strip().strip("\"'")
    if not path:
        talk.tell(words_more.ADD_WHAT)
        return
    path = str(Path(path).expanduser())
    session = talk.session
    known = {f.path for f in session.case.files}
    left = len(session.case.not_read)
    session.add(paths=[path])
    names = [f.name for f in session.case.files if f.path not in known]
    for item in session.case.not_read[left:]:
        why_not = Text(item.en, item.zh)
        talk.tell(words_more.NOT_ADDED.fill(file=item.file, why=why_not), "warn")
    if names or path in known:
        shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
        talk.tell(words_more.ADDED.fill(files=shown or path))
        talk.look()


def run(talk: Consultation, argument: str) -> None:
    name = argument.strip()
    if name:
        take_run(talk, name)
    elif len(talk.case.runs) > 1:
        offer_runs(talk)
    else:
        talk.tell(words_more.NO_RUNS)


# --- changes --------------------------------------------------------------------------------


def patch(talk: Consultation, argument: str) -> None:
    """Previews a change; without a number the first against the leading cause."""
    if talk.stale:
        talk.retell()
        return
    offer = _chosen(talk, argument, lambda o: o.against is None and o.fix.patch is not None)
    if offer is None:
        return
    if offer.fix.patch is not None:
        talk.emit(Previewed(offer))
        return
    talk.tell(words_more.NO_PATCH, top=True)
    talk.tell_all(telling.remedy(talk.session, offer))
    others = [o for o in talk.offers() if o.fix.patch is not None and o is not offer]
    if others:
        lines = [telling.titled(o) for o in others]
        talk.tell(Block("more", (Line(words_more.OTHER_PATCHES, "strong"), *lines)))


def _chosen(talk: Consultation, argument: str, first: Callable[[Offer], bool]) -> Offer | None:
    """The offer of a number; without one the ``first`` that fits, else the first of all."""
    offers = talk.offers() if talk.found is not None else []
    if not offers:
        talk.tell(words_more.NO_OFFERS)
        return None
    number = argument.strip()
    if not number:
        return next(filter(first, offers), offers[0])
    if number.isdecimal() and 1 <= int(number) <= len(offers):
        return offers[int(number) - 1]
    none = Line(words_more.NO_SUCH_OFFER.fill(n=len(offers)))
    talk.tell(Block("medic", (none, *(telling.titled(o) for o in offers))))
    return None


def apply(talk: Consultation, offer: Offer) -> None:
    """Writes the previewed change, tells how to take it back, and offers to look again."""
    record = offer.fix.apply()
    files = ", ".join(record.files)
    what = words_more.CHANGE.fill(id=record.id, files=files)
    talk.remember(what, partial(_restore, record.id), change=True)
    talk.files_changed()
    talk.tell(words_more.APPLIED.fill(id=record.id, files=files), "good")
    talk.tell(Block("more", (Line(words_more.TO_UNDO),)))
    talk.tell(code(f"medic undo {record.id}"))
    talk.tell(Block("more", (Line(words_more.OLD_LOG, "muted"),)))
    _offer_look(talk)


def _offer_look(talk: Consultation) -> None:
    options = (("yes", words_more.YES_LOOK), ("no", words_more.NOT_NOW))
    lines = (Line(words_more.LOOK_AGAIN, "strong"), *numbered(options))
    talk.tell(Block("medic", lines))
    talk.emit(Asked(Choices("again", "", options)))


def _restore(change: str) -> None:
    from medic.edits import undo as take_back

    take_back(change)


def undo(talk: Consultation, _argument: str) -> None:
    """Takes back the newest of what was said and changed. Raises EditRefused: it stays then."""
    if not talk.moves:
        talk.tell(words_more.NOTHING_TO_UNDO)
        return
    move = talk.moves[-1]
    move.back()
    talk.moves.pop()
    talk.tell(words_more.TOOK_BACK.fill(what=move.what), "good" if move.change else "plain")
    if move.change:
        talk.files_changed()
    talk.retell()


def tried(talk: Consultation, argument: str) -> None:
    """Marks a remedy as not helped: its causes become less likely."""
    session = talk.session
    if talk.stale:
        talk.retell()
    offer = _chosen(talk, argument, lambda o: o.fix.remedy.name not in session.tried)
    if offer is None:
        return
    name, before = offer.fix.remedy.name, talk.before_remedy
    if name in session.tried:
        talk.tell(words_more.TRIED_ALREADY.fill(title=offer.title))
        return
    if before is None:
        talk.before_remedy = session.observed_symptoms()
    session.remedy_done(name, helped=False)

    def back() -> None:
        session.remedy_open(name)
        talk.before_remedy = before

    talk.remember(offer.title, back)
    talk.tell(words_more.DID_NOT_HELP.fill(title=offer.title))
    talk.retell()


ORDERS: dict[str, Order] = {
    "why": why,
    "patch": patch,
    "probes": probes,
    "undo": undo,
    "graph": graph,
    "look": look,
    "add": add,
    "run": run,
    "none": none,
    "tried": tried,
    "walk": walking.walk,
}


def unknown(talk: Consultation, word: str, known: list[str]) -> None:
    """A /word that is none, with the nearest one."""
    near = nearest(word, known)
    pattern = words_more.NEAR_COMMAND if near else words_more.NO_COMMAND
    talk.tell(pattern.fill(word=f"/{word}", near=near[0] if near else ""), "warn")
