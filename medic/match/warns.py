"""Lines that healthy programs print, too: deprecations, advice, notes on defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.match.sayings import sayings_of

if TYPE_CHECKING:
    from medic.index.knowledge import Index

HARMLESS = "harmless-warning"
LONGEST = 2000  # characters of a line that tell what it is


def harmless(line: str, index: Index) -> bool:
    """Whether a line is one that says nothing of a fault, whatever its words are."""
    return HARMLESS in index.sayings and sayings_of(index).says(HARMLESS, line[:LONGEST])


def harmless_lines(text: str, index: Index) -> frozenset[int]:
    """Their numbers in a text, from 1."""
    lines = enumerate(text.split("\n"), 1)
    return frozenset(number for number, line in lines if harmless(line, index))


def without_harmless(text: str, index: Index) -> str:
    """The text without them."""
    return "\n".join(line for line in text.split("\n") if not harmless(line, index))
