"""What each /word does to the consultation. Runs on the desk's thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.nearest import nearest

from . import probing, reasons, telling, tree, words, words_more
from .answers import offer_runs, refresh, take_run
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
    session.refused = True
    refresh(talk)

    def back() -> None:
        session.refused = False
        refresh(talk)

    talk.remember(words.NONE_OF_THESE, back)
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
    """Previews a change; without a number the first that can be computed."""
    offer = _chosen(talk, argument, patched=True)
    if offer is None:
        return
    if offer.fix.patch is None:
        talk.tell(words_more.NO_PATCH, top=True)
        talk.tell_all(telling.remedy(talk.session, offer))
        return
    talk.emit(Previewed(offer))


def _chosen(talk: Consultation, argument: str, *, patched: bool) -> Offer | None:
    offers = talk.offers() if talk.found is not None else []
    if not offers:
        talk.tell(words_more.NO_OFFERS)
        return None
    number = argument.strip()
    if not number:
        with_patch = [o for o in offers if o.fix.patch is not None] if patched else []
        return (with_patch or offers)[0]
    if number.isdecimal() and 1 <= int(number) <= len(offers):
        return offers[int(number) - 1]
    talk.tell(words_more.NO_SUCH_OFFER.fill(n=len(offers)))
    return None


def apply(talk: Consultation, offer: Offer) -> None:
    """Writes the previewed change, tells how to take it back, and offers to look again."""
    record = offer.fix.apply()
    talk.applied.append(record.id)
    files = ", ".join(record.files)
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


def undo(talk: Consultation, _argument: str) -> None:
    """The last applied change, or the last thing said if none was applied."""
    if talk.applied:
        from medic.edits import undo as take_back

        record = take_back(talk.applied[-1])
        talk.applied.pop()
        files = ", ".join(record.files)
        talk.tell(words_more.UNDONE.fill(id=record.id, files=files), "good")
        _offer_look(talk)
        return
    if not talk.moves:
        talk.tell(words_more.NOTHING_TO_UNDO)
        return
    move = talk.moves.pop()
    move.back()
    talk.tell(words_more.TOOK_BACK.fill(what=move.what))
    talk.retell()


def tried(talk: Consultation, argument: str) -> None:
    """Marks a remedy as not helped: its causes become less likely."""
    offer = _chosen(talk, argument, patched=False)
    if offer is None:
        return
    session, name = talk.session, offer.fix.remedy.name
    if talk.before_remedy is None:
        talk.before_remedy = talk.symptoms()
    session.remedy_done(name, helped=False)

    def back() -> None:
        session.tried.remove(name)
        talk.before_remedy = None
        refresh(talk)

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
}


def unknown(talk: Consultation, word: str, known: list[str]) -> None:
    """A /word that is none, with the nearest one."""
    near = nearest(word, known)
    pattern = words_more.NEAR_COMMAND if near else words_more.NO_COMMAND
    talk.tell(pattern.fill(word=f"/{word}", near=near[0] if near else ""), "warn")
