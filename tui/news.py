"""Whether the files tell anything that was not told: a log of another run, settings edited by hand."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING

from . import words_after
from .lines import Block, Line

if TYPE_CHECKING:
    from .consultation import Consultation


def edited(talk: Consultation, *, stands: bool) -> bool:
    """Whether settings were edited by hand and no run had them yet; says so, and whether what was
    found ``stands`` or is worked out anew."""
    from medic.session.recheck import edited as edited_since

    names = edited_since(talk.session, talk.stood) if talk.stood is not None else []
    if not names or talk.waiting is not None:
        return False
    files = ", ".join(names)
    told = words_after.EDITED if stands else words_after.EDITED_READ
    lint = words_after.LINT_IT.fill(command=f"medic lint {shlex.join(names)}")
    talk.tell(Block("medic", (Line(told.fill(files=files), "warn"), Line(lint, "muted"))), top=True)
    return True


def nothing_new(talk: Consultation) -> bool:
    """Whether each log is the one of the last look, to the byte; says so."""
    from medic.session.runlogs import newest, same_logs

    before, log = talk.stood, newest(talk.session)
    if talk.found is None or before is None or log is None or not same_logs(talk.session, before):
        return False
    if log.name.startswith("<"):
        talk.tell(words_after.NOTHING_BUT_PASTED, "warn", top=True)
        return True
    at = time.strftime("%H:%M:%S", time.localtime(log.modified))
    talk.tell(words_after.NOTHING_NEW.fill(file=log.name, at=at), "warn", top=True)
    return True


def any_new(talk: Consultation) -> bool:
    """Whether a log was written since the last look. The files are taken as they are now."""
    from medic.session.recheck import take_again
    from medic.session.runlogs import newest, same_logs

    before = talk.stood
    if before is None:
        return False
    take_again(talk.session, before)
    return newest(talk.session) is not None and not same_logs(talk.session, before)
