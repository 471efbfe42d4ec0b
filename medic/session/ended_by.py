"""The last exception of the run, where the leading cause does not explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.facts import LogHits, Tracebacks
from medic.i18n import Text
from medic.runner.logsymptoms import EXCEPTION
from medic.session.diagnosis import EvidenceLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from medic.facts import Traceback
    from medic.session.consultation import Session

_SAID = Text("the last exception: {what}{place}", "最后一个异常：{what}{place}")
_PLACE = Text(" ({file}:{line})", "（{file}:{line}）")


def last_exception(session: Session) -> Iterator[EvidenceLine]:
    """The exception that came last, unless a known line tells it or it is evidence already."""
    logs, told = session.evidence.fact(LogHits), session.evidence.fact(Tracebacks)
    if not isinstance(logs, LogHits) or not isinstance(told, Tracebacks) or logs.ended == "well":
        return
    own = [t for t in told.all if t.uncaught and not t.victim]
    if any(h.seen.name == EXCEPTION and h.seen.outcome == "present" for h in session.found):
        return
    last = max(own, key=lambda t: t.order, default=None)
    if last is None or not last.mistake or _is_known(last, logs):
        return
    frame = last.frames[-1] if last.frames else None
    place = _PLACE.fill(file=frame.file, line=frame.line) if frame else Text("", "")
    what = f"{last.exception}: {last.message[:100]}" if last.message else last.exception
    text = _SAID.fill(what=what, place=place)
    yield EvidenceLine("symptom", EXCEPTION, "present", text, last.source, "sometimes")


def _is_known(last: Traceback, logs: LogHits) -> bool:
    return any(
        h.source.file == last.source.file
        and last.first_line <= h.source.line <= last.source.line
        and h.role in ("root", "either", "victim")
        for h in logs.hits
    )
