"""What each /word does to the consultation. Runs on the desk's thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.nearest import nearest

from . import (
    after,
    compare,
    curves,
    elsewhere,
    graph_data,
    handover,
    looked,
    news,
    opening,
    reasons,
    remedies,
    resuming,
    rulings,
    sayings,
    starting,
    tried,
    undoing,
    walking,
    words,
    words_after,
    words_keep,
    words_more,
)
from .answers import offer_runs, take_run
from .events import Graphed, Previewed
from .lines import Block, Line, joined
from .offers import first_change

if TYPE_CHECKING:
    from medic.case.collect import NotRead

    from .consultation import Consultation
    from .offers import Offer

Order = Callable[["Consultation", str], None]


def why(talk: Consultation, _argument: str) -> None:
    if talk.found is None:
        talk.tell(words_more.NO_LEADER)
        return
    talk.tell_all(reasons.why(talk.session, talk.found, talk.question), top=True)


def graph(talk: Consultation, _argument: str) -> None:
    """Opens the graph view over what is believed now."""
    if talk.found is None:
        talk.found = talk.session.diagnosis()
    talk.emit(Graphed(graph_data.drawn(talk.session, talk.found)))


def probes(talk: Consultation, argument: str) -> None:
    suspects = talk.found.causes if talk.found is not None else ()
    every = argument.strip() == "all"
    talk.tell(looked.in_full(talk.session, suspects, every=every), top=True)


def look(talk: Consultation, _argument: str) -> None:
    """Looks again: after a change at the log of the run that came after it."""
    from medic.session.recheck import take_again

    if talk.waiting is not None:
        after.recheck(talk)
        return
    take_again(talk.session, talk.stood)
    if talk.found is None or not news.edited(talk, stands=True):
        talk.look(whole=not news.nothing_new(talk))


def files(talk: Consultation, _argument: str) -> None:
    talk.tell(opening.files(talk.session.case), top=True)


def drop(talk: Consultation, argument: str) -> None:
    """Leaves a file out, by its number or name, and looks again."""
    from medic.session import said

    session = talk.session
    every = opening.ordered(session.case)
    word = argument.strip()
    if word.isdecimal() and 1 <= int(word) <= len(every):
        file = every[int(word) - 1]
    else:
        names = {opening.shown_name(f, session.case.root): f for f in every}
        names |= {f.name: f for f in every}
        if word not in names:
            talk.tell(words_keep.DROP_WHAT)
            return
        file = names[word]
    before = said.said(session)
    session.drop(file.path)
    talk.remember(joined([plain("/drop"), plain(file.name)], " ", " "), before)
    talk.stood = None  # what is not read is not gone
    talk.tell(words_keep.DROPPED.fill(file=file.name))
    talk.look()


def none(talk: Consultation, _argument: str) -> None:
    from medic.session.said import said

    session = talk.session
    if session.refused:
        return
    before = said(session)
    session.refuse(True)
    talk.remember(words.NONE_OF_THESE, before)
    talk.tell(words_more.SAID_NONE)
    talk.retell()


def add(talk: Consultation, argument: str) -> None:
    """Adds a file or folder and looks again, or says why it was not read."""
    from medic.session import said

    path = argument.strip().strip("\"'")
    if not path:
        talk.tell(words_more.ADD_WHAT)
        return
    path = str(Path(path).expanduser())
    if os.path.realpath(path) == os.sep:
        talk.tell(words_more.WHOLE_SYSTEM, "warn")
        return
    session = talk.session
    known = {f.path for f in session.case.files}
    left = len(session.case.not_read)
    before = said.said(session)
    session.add(paths=[path])
    names = [f.name for f in session.case.files if f.path not in known]
    for item in session.case.not_read[left:]:
        why_not = Text(item.en, item.zh) if item.file != path else _without(item, path)
        talk.tell(words_more.NOT_ADDED.fill(file=item.file, why=why_not), "warn")
    if names or path in known:
        shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
        talk.tell(words_more.ADDED.fill(files=shown or path))
        talk.remember(plain(f"/add {path}"), before)
        look_at_more(talk)


def _without(item: NotRead, path: str) -> Text:
    """Why a path was not read, in words that need not name it again."""
    en = item.en.removeprefix(f"nothing to read in {path}: ")
    return Text(en, item.zh.removeprefix(f"{path} 中没有可读的内容："))


def look_at_more(talk: Consultation) -> None:
    """Looks at what was added: a log of the run after a change answers that change."""
    if talk.waiting is not None:
        after.recheck(talk)
    else:
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
    if talk.waiting is not None and elsewhere.warn(talk, talk.waiting):
        after.ask(talk)
        return
    if talk.stale and talk.waiting is not None:
        talk.tell(words_after.APPLIED_ALREADY.fill(change=talk.waiting.change))
        talk.observe()
    elif talk.stale:
        talk.retell()
        return
    first = first_change(talk.offers()) if talk.found is not None else None
    offer = first if first and not argument.strip() else chosen(talk, argument)
    if offer is None:
        return
    if offer.fix.patch is not None:
        talk.emit(Previewed(elsewhere.foreseen(talk, offer)))
        return
    if not offer.fix.missing and remedies.near(talk, offer):
        talk.tell(words_more.BY_HAND_ABOVE, top=True)
    else:
        talk.tell(words_more.NO_PATCH_YET if offer.fix.missing else words_more.NO_PATCH, top=True)
        talk.tell_all(remedies.told(talk, offer))
    others = [o for o in talk.offers() if o.fix.patch is not None and o is not offer]
    if others:
        lines = [remedies.titled(o) for o in others]
        talk.tell(Block("more", (Line(words_more.OTHER_PATCHES, "strong"), *lines)))


def chosen(talk: Consultation, argument: str) -> Offer | None:
    """The offer of a number; without one the first against what leads, those tried last."""
    offers = talk.offers() if talk.found is not None else []
    if not offers:
        talk.tell(words_more.NO_OFFERS)
        return None
    number = argument.strip()
    if not number:
        return next((o for o in offers if o.against is None), offers[0])
    if number.isdecimal() and 1 <= int(number) <= len(offers):
        return offers[int(number) - 1]
    none = Line(words_more.NO_SUCH_OFFER.fill(n=len(offers)))
    talk.tell(Block("medic", (none, *(remedies.titled(o) for o in offers))))
    return None


ORDERS: dict[str, Order] = {
    "why": why,
    "patch": patch,
    "probes": probes,
    "undo": undoing.undo,
    "change": sayings.change,
    "graph": graph,
    "compare": compare.compare,
    "curve": curves.curve,
    "look": look,
    "files": files,
    "add": add,
    "drop": drop,
    "run": run,
    "none": none,
    "ruleout": rulings.ruleout,
    "tried": tried.tried,
    "walk": walking.walk,
    "report": handover.report,
    "new": starting.anew,
    "sessions": resuming.sessions,
    "resume": resuming.resume,
}


def unknown(talk: Consultation, word: str, known: list[str]) -> None:
    """A /word that is none, with the nearest one."""
    near = nearest(word, known)
    pattern = words_more.NEAR_COMMAND if near else words_more.NO_COMMAND
    talk.tell(pattern.fill(word=f"/{word}", near=near[0] if near else ""), "warn")
