"""After a change: whether the next run's log shows the fault gone, the same, or another one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from medic.case.pasted import PASTED
from medic.errors import MedicError
from medic.facts import LogHits
from medic.records import dataclass, replace
from medic.runner.look import open_regular
from medic.session.launched import elsewhere_unseen, had_it, lacks
from medic.session.pasted import back_again
from medic.session.proof import proof
from medic.session.rates import of_the_rate, rates_of
from medic.session.reached import Reached, reached
from medic.session.runlogs import (
    OF_A_RUN,
    another_log,
    ends,
    grown,
    heads,
    newest,
    of_the_run_before,
    paths,
    same_logs,
    tail,
    unchanged,
)

if TYPE_CHECKING:
    from medic.edits import ChangeRecord
    from medic.fixes import Fix
    from medic.session.consultation import Session

Outcome = Literal[
    "gone", "same", "still", "other", "early", "nothing", "unseen", "unread", "older", "same-log",
    "not-in-force", "elsewhere", "gone-without",
    "gone-unsure",
]  # fmt: skip
# Of the change: its run, or enough of it, is still awaited.
TELLS_NOTHING = ("older", "unread", "same-log", "early", "nothing", "elsewhere")
MAX_FILE = 2 * 1024 * 1024  # bytes of a changed file
LATE = 600.0  # seconds after the log's last line: a copied folder is written within fewer
SETTINGS = ("config", "script")


@dataclass(frozen=True)
class Applied:
    """A change that was written on advice, or, without ``change``, how a run stood when it was
    last looked at: the fault may be mended by hand.

    ``time``: seconds since the epoch; ``symptoms``: those that the evidence showed before it;
    ``files`` and the lines ``added`` to them; ``began``: first time and attempts of the log then;
    ``log``: the newest one, ``tail`` its size and the CRC of its last bytes; ``settings``: path
    and CRC of each configuration and script; ``logs``: size and CRC of the end of each log,
    ``heads``: CRC of its beginning with and without times, ``paths``: where they lay; ``there``:
    the user made the change in the file that the run reads instead; ``reached``: how far the run
    came; ``shown``: what the next run showed of it, an ``Outcome``, "" before there is one;
    ``rates``: the peak learning rate before and after it.
    """

    change: str
    remedy: str
    cause: str
    time: float
    symptoms: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    began: tuple[float, int] | None = None
    log: str = ""
    tail: tuple[int, int] | None = None
    settings: tuple[tuple[str, int], ...] = ()
    logs: tuple[tuple[int, int], ...] = ()
    heads: tuple[tuple[int, int], ...] = ()
    paths: tuple[str, ...] = ()
    there: bool = False
    reached: Reached | None = None
    shown: str = ""
    rates: tuple[float, float] | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Applied:
        """From JSON, where a tuple is a list."""
        came = data.get("reached")
        plain = {name: _tuples(value) for name, value in data.items()}
        return cls(**plain | {"reached": Reached.of(came) if came else None})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def applied_now(session: Session, record: ChangeRecord, fix: Fix, cause: str) -> Applied:
    """The record of a change that was written just now."""
    seen = tuple(sorted(session.observed_symptoms()))
    rows = fix.diff.splitlines()
    added = tuple(r[1:].strip() for r in rows if r.startswith("+") and not r.startswith("+++"))
    files = tuple(str(Path(file).absolute()) for file in record.files)
    now = time.time()
    return Applied(
        change=record.id,
        remedy=fix.remedy.name,
        cause=cause,
        time=now,
        symptoms=seen,
        files=files,
        added=added,
        began=_begin(session),
        reached=reached(session, seen),
        rates=rates_of(fix),
        **_logs_now(session),
    )


def standing(session: Session) -> Applied:
    """How the run stands now; ``time`` is that of its newest log."""
    seen = tuple(sorted(session.observed_symptoms()))
    log = newest(session)
    settings = tuple(_settings(session))
    stands = Applied(
        change="",
        remedy="",
        cause="",
        time=0.0,
        symptoms=seen,
        settings=settings,
        reached=reached(session, seen),
        **_logs_now(session),
    )
    return stands if log is None else replace(stands, time=log.modified, began=_begin(session))


def _logs_now(session: Session) -> dict[str, Any]:
    """By what the logs of a run are known again."""
    every = {
        f: tuple(of(session)) for f, of in (("logs", ends), ("heads", heads), ("paths", paths))
    }
    log = newest(session)
    return (
        every
        if log is None
        else every | {"log": log.path, "tail": (log.size, tail(log.path, log.size))}
    )


def _settings(session: Session) -> Iterator[tuple[str, int]]:
    for file in session.case.files:
        if file.kind in SETTINGS and not file.name.startswith("<"):
            yield file.path, _crc(file.path)


def _crc(path: str) -> int:
    try:
        with open_regular(path) as file:
            return crc32(file.read(MAX_FILE))
    except (MedicError, OSError):
        return 0


def edited(session: Session, before: Applied) -> list[str]:
    """Names of the configurations and scripts that have changed since a look, where the log is
    still of the run before: what they say now is not what ran."""
    if not before.log or another_log(session, before):
        return []
    old, now = dict(before.settings), dict(_settings(session))
    names = {f.path: f.name for f in session.case.files}
    return [names[path] for path, crc in now.items() if old.get(path, crc) != crc]


def newer_settings(session: Session) -> tuple[list[str], float]:
    """Names of the configurations and scripts that were written long after the newest log, and how
    many seconds after it the last of them. One that medic changed itself since then is no copy: it
    counts at once."""
    log = newest(session)
    if log is None or not log.modified:  # part of a note: when it was written, nobody knows
        return [], 0.0
    files = [f for f in session.case.files if f.kind in SETTINGS and not f.name.startswith("<")]
    later = [f for f in files if f.modified > log.modified]
    own = _changed_by_medic(log.modified) if later else frozenset()
    late = [f for f in later if f.modified > log.modified + LATE or os.path.realpath(f.path) in own]
    return [f.name for f in late], max((f.modified for f in late), default=0.0) - log.modified


def _changed_by_medic(since: float) -> frozenset[str]:
    """The real paths of the files with a change that was written since then and holds."""
    from medic.edits import records

    try:
        changes = [c for c in records.changes() if c.state == "applied" and c.time > since]
    except (MedicError, OSError):
        return frozenset()
    return frozenset(os.path.realpath(t.target) for c in changes for t in c.touched)


def take_again(session: Session, before: Applied | None) -> None:
    """Takes the files as they are now. Logs that came beside those that stood before, none of
    which has changed, are of a run after it: they take the place of the others. So do logs that
    were written anew: those that were not are of the run before."""
    old = {f.path for f in session.case.files}
    back_again(session)
    session.collect_again()
    if before is None or not before.time:
        return
    logs = [f for f in session.case.files if f.kind in OF_A_RUN]
    fresh = {f.path for f in logs if f.modified > before.time}
    if fresh and not fresh & old:
        session.collect_again(leave_out=[f.path for f in logs if f.path not in fresh])
    elif stale := of_the_run_before(session, before):
        session.collect_again(leave_out=stale)


def _begin(session: Session) -> tuple[float, int] | None:
    """When the log begins, 0 where it tells no time, and how many attempts it holds."""
    logs = session.evidence.fact(LogHits)
    return None if logs is None else (logs.first_time or 0.0, logs.attempts)


def take_new_logs(session: Session, applied: Applied, pasted: str = "") -> bool:
    """Takes the files of the run after a change, and what was ``pasted`` of it, in place of those
    before it.

    False, and the case as it was, if no log or metrics file was written since.
    """
    stood = session.case, session.aside, session.before
    session.case, session.aside = replace(session.case, pastes=(pasted,) if pasted else ()), {}
    session.collect_again()
    logs = [f for f in session.case.files if f.kind in OF_A_RUN]
    fresh = [f.path for f in logs if f.modified > applied.time or f.name.startswith(PASTED)]
    if not fresh:
        session.case, session.aside, session.before = stood
        return False
    same = unchanged(session, applied)
    fresh = [path for path in fresh if path not in same] or fresh
    session.collect_again(leave_out=[f.path for f in logs if f.path not in fresh])
    return True


def outcome(session: Session, applied: Applied) -> Outcome:
    """What the evidence of the new run says.

    ``unseen`` where the fault never showed in any log, ``unread`` where the new one could not be
    read: silence is no proof. ``older``: the run began before the change and only went on;
    ``same-log``: it is the log from before. The fault is there: ``not-in-force`` if the change is
    not, ``elsewhere`` if the run reads another file. It is not: ``early``, ``nothing`` and
    ``still`` where that proves nothing (``proof``), ``other`` if there is another one,
    ``gone-without`` if it is gone from a run that did not have the change, ``gone-unsure`` if that
    cannot be told from here.
    """
    if not applied.symptoms:
        return "unseen"
    if same_logs(session, applied):
        return "same-log"
    if _went_on(session, applied):
        return "older"
    seen = session.observed_symptoms()
    if seen & set(applied.symptoms):
        return _unchanged(session, applied)
    if session.evidence.cancelled or _logs_failed(session):
        return "unread"
    if seen - of_the_rate(session, applied):
        return "other"
    shown = proof(session, applied).state
    if shown != "proved":
        return shown
    return gone(session, applied)


def gone(session: Session, applied: Applied) -> Outcome:
    """Of a fault that is gone: whether the change can be what mended it."""
    if had_it(session, applied):
        return "gone"
    return "gone-unsure" if elsewhere_unseen(session, applied) else "gone-without"


def _went_on(session: Session, applied: Applied) -> bool:
    """Whether the log is of the same attempt as before the change."""
    if applied.began is None or _begin(session) != applied.began:
        return False
    return applied.began[0] > 0 or grown(session, applied)


def _unchanged(session: Session, applied: Applied) -> Outcome:
    """Of a fault that is still there: whether the run had the change."""
    return lacks(session, applied) or "same"


def _logs_failed(session: Session) -> bool:
    runs = session.evidence.runs.values()
    return any(r.state == "failed" and LogHits in r.probe.gives for r in runs)
