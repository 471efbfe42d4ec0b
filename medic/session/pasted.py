"""A log that is pasted beside those of another run: what a person pastes is what he asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.case.pasted import PASTED
from medic.facts import LogHits
from medic.i18n import Text
from medic.session.runlogs import OF_A_RUN

if TYPE_CHECKING:
    from medic.session.consultation import Session

ANOTHER = Text("of another run than what was pasted", "与粘贴的日志不属于同一次运行")


def take_alone(session: Session, failed: bool) -> list[str]:
    """Leaves the logs of the folder out where what was pasted does not count beside them: it is of
    an earlier run, or they went on after it. Their names; none where it counts. ``failed``: the run
    of the folder did, too: lines that tell no time of their own are then taken as of that run. The
    caller looks again."""
    others = [f for f in session.case.files if f.kind in OF_A_RUN and not f.name.startswith(PASTED)]
    if not others or not _does_not_count(session, aside=failed):
        return []
    session.aside |= {f.path: f.modified for f in others}
    session.collect_again()
    return [f.name for f in others]


def back_again(session: Session) -> None:
    """Logs that were written since then are of a run after what was pasted: they count again."""
    from medic.session.revisit import collect_again

    aside = session.aside
    files = collect_again(session.case, session.index).files if aside else ()
    if any(f.modified > aside[f.path] for f in files if f.path in aside):
        session.aside = {}


def _does_not_count(session: Session, *, aside: bool) -> bool:
    """``aside``: the whole of it is of another run."""
    runs = [r for r in session.evidence.runs.values() if LogHits in r.probe.gives]
    left = [u for r in runs for u in r.unread if u.partly and u.file.startswith(PASTED)]
    return any(u.aside or not aside for u in left)
