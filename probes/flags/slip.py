"""A slip of a script: what is wrong, where, and how it is written right."""

from __future__ import annotations

from medic.facts import Repair, Respelt, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Edit, Span

WHY = Text("as it is meant to be read", "按原意书写")


@dataclass(frozen=True)
class Slip:
    """What is wrong, where, and how it is written right; ``mild`` says why that may well be nothing."""

    what: Text
    span: Span
    repair: Repair | None = None
    mild: Text | None = None


def respelt(word: Word, text: str) -> Repair:
    """The word written as ``text``."""
    return replaced(word.span, text)


def replaced(span: Span, text: str) -> Repair:
    """The bytes of a span written as ``text``."""
    edit = Edit(span.file, span.start, span.end, text)
    return Repair((Respelt((edit,), joins=True),), safe=False, why=WHY)
