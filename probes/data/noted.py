"""Notes of data files by kind, and the place that each names."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import DataFile, DataNote, Source
from medic.i18n import Text

MIN_RECORDS = 20  # below it a share says little


def noted(facts: Sequence[DataFile], kinds: Sequence[str]) -> list[tuple[DataFile, DataNote]]:
    return [(f, n) for f in facts for n in f.notes if n.kind in kinds or _start(n.kind) in kinds]


def _start(kind: str) -> str:
    return kind.partition(":")[0]


def source(fact: DataFile, note: DataNote | None = None) -> Source:
    if note is None:
        return Source(fact.file)
    first = note.places[0] if note.places else ""
    # A source's line is the file's own words: of what is wrong there only the place is one.
    return Source(
        fact.file, note.line, text=place(note) if isinstance(first, Text) else first[:200]
    )


def place(note: DataNote) -> str:
    """The first place of a note, without the words of what stands there."""
    first = note.places[0] if note.places else ""
    return (first.en if isinstance(first, Text) else first).partition(": ")[0]


def share(count: int, of: int) -> str:
    part = count / of if of else 0.0
    return f"{part:.0%}" if part >= 0.1 or not part else f"{part:.2%}"
