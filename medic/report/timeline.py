"""The joined evidence of a diagnosis in the order of time, over files and ranks."""

from __future__ import annotations

import time
from collections.abc import Iterator

from medic.facts import LogHits, Source, Tracebacks
from medic.i18n import Text
from medic.records import dataclass
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis
from medic.text.safetext import one_line

FEWEST, MOST, RANKS = 3, 12, 6
_DAY = 86_400.0
_STEP, _OWN, _CONSEQUENCE = range(3)


@dataclass(frozen=True)
class Moment:
    """Something seen at a time (seconds since 1970).

    A line that tells no time has that of the line above it. Within one second a failure of a
    rank's own therefore stands before what the others then saw: ``kind``.
    """

    time: float
    kind: int
    source: Source
    words: Text | str


def moments(session: Session, found: Diagnosis) -> list[Moment]:
    """Evidence of the leader, its consequences and what other ranks saw, with the steps before.

    Empty where too few lines tell a time, or all are one rank's: their numbers say the order.
    """
    made: dict[tuple[str, int | None], Moment] = {}
    for kind, source, words in _told(session, found):
        if source.time is not None and source.file and str(words):
            moment = Moment(source.time, kind, source, words)
            before = made.setdefault((str(words), source.rank), moment)
            if before.time > moment.time:
                made[str(words), source.rank] = moment
    rows = sorted(made.values(), key=lambda m: (int(m.time), m.kind, m.time, m.source.line))
    seen = [m for m in rows if m.kind != _STEP]
    writers = {(m.source.file, m.source.rank) for m in seen}
    if len(rows) < FEWEST or len(writers) < 2:
        return []
    return rows if len(rows) <= MOST else [*rows[: MOST - 2], *rows[-2:]]


def _told(session: Session, found: Diagnosis) -> Iterator[tuple[int, Source, Text | str]]:
    lines: set[tuple[str, int]] = set()
    for line in found.causes[0].evidence if found.causes else ():
        if (line.source.file, line.source.line) not in lines:
            lines.add((line.source.file, line.source.line))
            yield _OWN, line.source, line.text
    for line in (*found.consequences, *found.unexplained):
        lines.add((line.source.file, line.source.line))
        yield _CONSEQUENCE, line.source, line.text
    facts = session.evidence.facts
    by_rank: set[int | None] = set()
    for told in facts[Tracebacks].all if Tracebacks in facts else ():
        at = (told.source.file, told.source.line)
        if told.uncaught and told.source.rank not in by_rank and len(by_rank) < RANKS:
            by_rank.add(told.source.rank)
            if at not in lines and told.source.rank is not None:
                words = f"{told.exception.rpartition('.')[2]}: {told.message}"
                yield (_CONSEQUENCE if told.victim else _OWN), told.source, words
    yield from _steps(facts[LogHits]) if LogHits in facts else ()


def _steps(logs: LogHits) -> Iterator[tuple[int, Source, Text | str]]:
    """The last logged step of each rank, where few ranks log."""
    last = {s.source.rank: s for s in logs.steps if s.source.time is not None}
    for step in last.values() if len(last) <= RANKS else ():
        words = Text("last logged step: {n}", "最后记录的步数：{n}").fill(n=step.step)
        yield _STEP, step.source, words


def rows(found: list[Moment], width: int) -> list[str]:
    """One line a moment, of at most ``width`` columns."""
    return [one_line(f"{at}{words}", width) for at, words in parted(found)]


def parted(found: list[Moment]) -> list[tuple[str, Text | str]]:
    """Time of day (and date where days differ) and rank of each moment, and what was seen."""
    days = {int(m.time // _DAY) for m in found}
    form = "%H:%M:%S" if len(days) == 1 else "%m-%d %H:%M:%S"
    shown = []
    for moment in found:
        at = time.strftime(form, time.localtime(moment.time))
        rank = "" if moment.source.rank is None else f"rank {moment.source.rank}"
        shown.append((f"{at}  {rank:8} ", moment.words))
    return shown
