"""Why bash refuses a script, and where."""

from __future__ import annotations

from typing import Literal

from medic.records import dataclass

Kind = Literal["open", "unexpected", "empty", "lacks", "awaits", "document", "other"]


@dataclass(frozen=True)
class Refusal:
    """``word`` is open, unexpected, lacking, … at ``start`` to ``end``; ``other`` is the word that
    it concerns and where that stands. ``awaits``: an operator that the script ends behind."""

    kind: Kind
    word: str
    start: int
    end: int
    other: tuple[str, int] | None = None


class Refused(Exception):  # noqa: N818 - not an error of this program
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.word)
        self.refusal = refusal


def refuse(kind: Kind, word: str, at: int, other: tuple[str, int] | None = None) -> Refused:
    return Refused(Refusal(kind, word, at, at + max(1, len(word)), other))
