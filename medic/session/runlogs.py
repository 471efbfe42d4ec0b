"""The logs of a run: the newest, and whether one is the log from before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zlib import crc32

from medic.errors import MedicError
from medic.runner.look import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from medic.facts import GivenFile
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

TAIL = 512  # bytes at the end of a log that tell it from the log of another run
HEAD = 256 * 1024  # bytes at its beginning that tell it, too
OF_A_RUN = ("log", "metrics", "gpu-series", "flight-recorder")
_DATE_AND_TIME = re.compile(rb"\d{2,4}[-/]\d\d[-/]\d\d|\d\d?:\d\d:\d\d(?:[.,]\d+)?")


def newest(session: Session) -> GivenFile | None:
    """The log that was written last."""
    logs = [f for f in session.case.files if f.kind in OF_A_RUN]
    return max(logs, key=lambda f: f.modified, default=None)


def _written(session: Session) -> list[GivenFile]:
    """The logs that hold anything."""
    return [f for f in session.case.files if f.kind in OF_A_RUN and f.size]


def tail(path: str, size: int) -> int:
    """The CRC of the last bytes before ``size``; -1 where they cannot be read."""
    try:
        with open_regular(path) as file:
            file.seek(max(0, size - TAIL))
            return crc32(file.read(min(TAIL, size)))
    except (MedicError, OSError):
        return -1


def ends(session: Session) -> Iterator[tuple[int, int]]:
    """Size and CRC of the end of each log, by which one is known again wherever it lies."""
    for file in _written(session):
        yield file.size, _end(session, file)


def _end(session: Session, file: GivenFile) -> int:
    text = session.case.parts.get(file.path)
    return tail(file.path, file.size) if text is None else crc32(text.encode()[-TAIL:])


def heads(session: Session) -> Iterator[tuple[int, int]]:
    """Of each log, in the order of ``ends``: the CRC of its beginning, and that without its dates
    and times, 0 where the log is longer than what was read."""
    for file in _written(session):
        text = _head(session, file)
        whole = file.size <= HEAD
        yield crc32(text), crc32(_DATE_AND_TIME.sub(b"", text)) if whole else 0


def paths(session: Session) -> Iterator[str]:
    """Where each log lies, in the order of ``ends``."""
    return (f.path for f in _written(session))


def _head(session: Session, file: GivenFile) -> bytes:
    text = session.case.parts.get(file.path)
    if text is not None:
        return text.encode()[:HEAD]
    try:
        with open_regular(file.path) as opened:
            return opened.read(HEAD)
    except (MedicError, OSError):
        return b""


def same_logs(session: Session, before: Applied) -> bool:
    """Whether each log is byte for byte one of those before, whatever its date and name."""
    logs = _written(session)
    return bool(logs) and len(unchanged(session, before)) == len(logs)


def same_but_for_times(session: Session, before: Applied) -> bool:
    """Whether each log says what one of those before said, at other times."""
    old, now = {without for _, without in before.heads}, list(heads(session))
    said = [without for _, without in now]
    if not said or 0 in said or not old.issuperset(said):
        return False
    return len(_known(session, before, now)) < len(now)


def unchanged(session: Session, before: Applied) -> list[str]:
    """Paths of the logs that are byte for byte one of those before, by their beginning and end."""
    return _known(session, before, list(heads(session)))


def _known(session: Session, before: Applied, now: Sequence[tuple[int, int]]) -> list[str]:
    """The same, where the beginnings have been read: ``now``, in the order of the logs."""
    logs = zip(_written(session), ends(session), now, strict=True)
    if not before.heads:  # of a session that was kept without them
        return [file.path for file, end, _ in logs if end in before.logs]
    old = {(end, head) for end, (head, _) in zip(before.logs, before.heads, strict=False)}
    return [file.path for file, end, (head, _) in logs if (end, head) in old]


def of_the_run_before(session: Session, before: Applied) -> list[str]:
    """Paths of the logs that are as they were though another one was written anew: they are of the
    run before it. None where any has only grown: the run goes on."""
    same = unchanged(session, before)
    logs = _written(session)
    others = [f for f in logs if f.path not in same and f.path in before.paths]
    if not others or any(_grown(f, before) for f in others):
        return []
    return same


def _grown(file: GivenFile, before: Applied) -> bool:
    """Whether a log begins as one of those before and has more at its end."""
    old = [(size, crc) for size, crc in before.logs if size <= file.size]
    return any(
        tail(file.path, size) == crc and _begins_alike(file, size, before) for size, crc in old
    )


def _begins_alike(file: GivenFile, size: int, before: Applied) -> bool:
    """Whether a log begins as one of those before, of which it had ``size`` bytes."""
    try:
        with open_regular(file.path) as opened:
            crc = crc32(opened.read(min(size, HEAD)))
    except (MedicError, OSError):
        return True
    return not before.heads or crc in [head for head, _ in before.heads]


def another_log(session: Session, before: Applied) -> bool:
    """Whether the newest log is another one than before, not the same that has grown."""
    log = newest(session)
    if log is None or log.modified == before.time or same_logs(session, before):
        return False
    return not _goes_on(log, before)


def grown(session: Session, before: Applied) -> bool:
    """Whether the newest log is the one of before with more at its end."""
    log = newest(session)
    return log is not None and _goes_on(log, before)


def _goes_on(log: GivenFile, before: Applied) -> bool:
    if log.path != before.log or before.tail is None or log.size < before.tail[0]:
        return False
    size, crc = before.tail
    return tail(log.path, size) == crc and _begins_alike(log, size, before)
