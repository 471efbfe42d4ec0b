"""Lines that are pasted and stand in a log that was read already."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

from medic.errors import MedicError
from medic.records import dataclass
from medic.runner.look import open_regular
from medic.session.runlogs import OF_A_RUN

if TYPE_CHECKING:
    from medic.session.consultation import Session

MOST_LINES = 200  # of a longer paste its beginning and its end are looked for
SHORTEST = 8  # characters: less stands anywhere


@dataclass(frozen=True)
class Excerpt:
    """Where pasted lines stand: a file as it is called, and its first and last line of them."""

    file: str
    first: int
    last: int


def stands_in(session: Session, text: str) -> Excerpt | None:
    """The log that has every line of a paste; None where there is none, or where they are few
    letters only."""
    rows = [row.strip().encode() for row in text.splitlines() if row.strip()]
    half = MOST_LINES // 2
    rows = rows if len(rows) <= MOST_LINES else [*rows[:half], *rows[-half:]]
    if not any(len(row) >= SHORTEST for row in rows):
        return None
    for file in session.case.files:
        if file.kind in OF_A_RUN and not file.name.startswith("<") and file.size:
            found = _lines(file.path, rows)
            if found is not None:
                return Excerpt(file.name, *found)
    return None


def _lines(path: str, rows: list[bytes]) -> tuple[int, int] | None:
    try:
        with (
            open_regular(path) as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            longest = max(rows, key=len)
            at = data.rfind(longest)
            if at < 0 or any(data.find(row) < 0 for row in rows):
                return None
            line = _count(data, at)
    except (MedicError, OSError, ValueError):
        return None
    before = rows.index(longest)
    return max(1, line - before), max(1, line - before) + len(rows) - 1


def _count(data: mmap.mmap, end: int) -> int:
    """The number of the line in which a byte stands."""
    step = 1 << 20
    return 1 + sum(data[i : min(i + step, end)].count(b"\n") for i in range(0, end, step))
