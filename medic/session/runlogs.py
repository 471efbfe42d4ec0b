"""The logs of a run: the newest, and whether one is the log from before."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from medic.errors import MedicError
from medic.runner.look import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from medic.facts import GivenFile
    from medic.session.consultation import Session
    from medic.session.recheck import Applied

TAIL = 512  # bytes at the end of a log that tell it from the log of another run
OF_A_RUN = ("log", "metrics", "gpu-series", "flight-recorder")


def newest(session: Session) -> GivenFile | None:
    """The log that was written last."""
    logs = [f for f in session.case.files if f.kind in OF_A_RUN]
    return max(logs, key=lambda f: f.modified, default=None)


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
    for file in session.case.files:
        if file.kind in OF_A_RUN and file.size:
            yield file.size, _end(session, file)


def _end(session: Session, file: GivenFile) -> int:
    text = session.case.parts.get(file.path)
    return tail(file.path, file.size) if text is None else crc32(text.encode()[-TAIL:])


def same_logs(session: Session, before: Applied) -> bool:
    """Whether each log is byte for byte one of those before, whatever its date and name."""
    now = set(ends(session))
    return bool(now) and now <= set(before.logs)


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
    return tail(log.path, size) == crc
