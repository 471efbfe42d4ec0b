"""A change of a file that the run does not read: it belongs into the file of that name that it reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.records import replace
from medic.report.words import placed

from . import words_after
from .lines import Block, Line, code
from .seen import shown_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from medic.session.recheck import Applied

    from .consultation import Consultation
    from .offers import Offer


def warn(talk: Consultation, one: Applied) -> bool:
    """Whether the run reads another file than the changed one; says so."""
    files = list(_instead(talk, one))
    for told, _, _ in files:
        talk.tell(Block("more", (Line(told, "warn"),)))
    return bool(files)


def foreseen(talk: Consultation, offer: Offer) -> Offer:
    """A change that is previewed, with that the run reads another file, where it does."""
    from medic.session.launched import read_instead, script_of

    patch, script = offer.fix.patch, script_of(talk.session)
    files = dict.fromkeys(edit.file for edit in patch.edits) if patch is not None else {}
    for _, other in read_instead(talk.session, list(files)) if script is not None else ():
        name = plain(script.name if script is not None else "")
        return replace(offer, reads=words_after.READS_THERE.fill(script=name, file=other))
    return offer


def tell(talk: Consultation, one: Applied, titles: Text) -> None:
    """Where the change has to be made comes first; it is no proof against the remedy."""
    files = list(_instead(talk, one))
    lines = [Line(told, "strong") for told, _, _ in files]
    still = words_after.MAYBE_NOT_IN_FORCE.fill(titles=titles, change=one.change)
    talk.tell(Block("medic", (*lines, Line(still, "warn"))), top=True)
    tell_rate(talk, one)
    added = "\n".join(one.added)
    for _, changed, other in files:
        if _can_change(other) or not added:
            continue
        talk.tell(Block("more", (Line(words_after.LINES_FOR.fill(file=other, changed=changed)),)))
        talk.tell(code(added))


def tell_rate(talk: Consultation, one: Applied) -> None:
    """The rate that the new run logged, where it shows whether the run had the change."""
    from medic.session.rates import ran

    by_rate = ran(talk.session, one)
    if by_rate is None or one.rates is None:
        return
    known = words_after.RATE_AS_SET if by_rate.as_set else words_after.RATE_NOT_AS_SET
    told = known.fill(rate=f"{by_rate.rate:.4g}", change=one.change, new=f"{one.rates[1]:.4g}")
    file = shown_file(talk.session, by_rate.source.file)
    where = placed(file, by_rate.source.line, by_rate.source.rank)
    talk.tell(Block("more", (Line(told, "plain", where=where),)))


def not_in_force(talk: Consultation, one: Applied) -> None:
    """What the run shows is not the doing of a change that it did not have."""
    from medic.session.launched import in_force

    from . import earlier

    files = ", ".join(Path(file).name for file in one.files)
    known = words_after.MAYBE_NOT_IN_FORCE if in_force(one) else words_after.NOT_IN_FORCE
    titles = earlier.titles(talk.session, one)
    talk.tell(known.fill(titles=titles, change=one.change, files=files), "warn", top=True)
    tell_rate(talk, one)


def options(talk: Consultation) -> tuple[tuple[str, Text], ...]:
    """The change of the file that the run reads, where it is here and can be written."""
    here = [other for _, _, other in _instead(talk, talk.waiting) if _can_change(other)][:1]
    return tuple(("elsewhere", words_after.CHANGE_THERE.fill(file=file)) for file in here)


def by_hand(talk: Consultation) -> tuple[tuple[str, Text], ...]:
    """That the change was made in the file that the run reads, by hand."""
    others = [other for _, _, other in _instead(talk, talk.waiting)][:1]
    return tuple(("there", words_after.MADE_THERE.fill(file=file)) for file in others)


def changed_there(talk: Consultation) -> None:
    """The run after the change counts: the user has made it in the file that the run reads."""
    one, session = talk.waiting, talk.session
    if one is None:
        return
    talk.waiting = replace(one, there=True)
    session.applied = [talk.waiting if a == one else a for a in session.applied]
    talk.keep()


def change_there(talk: Consultation) -> None:
    """Looks at the file that the run reads in place of the one that was changed, and shows its
    change."""
    from . import orders

    one, session = talk.waiting, talk.session
    if one is None:
        return
    for _, changed, other in list(_instead(talk, one)):
        if _can_change(other):
            own = {os.path.realpath(f.path): f.path for f in session.case.files}
            if (known := own.get(os.path.realpath(changed))) is not None:
                session.drop(known)
            session.add(paths=[other])
    talk.waiting = None
    talk.look()
    orders.patch(talk, "")


def _instead(talk: Consultation, one: Applied | None) -> Iterator[tuple[Text, str, str]]:
    from medic.session.launched import read_instead, script_of

    if one is None or one.there:
        return
    script = script_of(talk.session)
    for changed, other in read_instead(talk.session, one.files):
        name = plain(script.name if script is not None else "")
        yield words_after.READS_ANOTHER.fill(script=name, file=other), changed, other


def _can_change(file: str) -> bool:
    return Path(file).is_file() and os.access(file, os.R_OK | os.W_OK)
