"""What the searches of a text share: the index as a key of what is kept, and which texts may hold a
message."""

from __future__ import annotations

from medic.index.knowledge import Index
from medic.text.patterns import regex

# Signatures are of whole log lines: a few plain words are matched by their phrases alone, which
# spares the start of a command the compiling of all patterns.
PLAIN_WORDS = 60
PASTED = regex(r"[\n:(=\[\]]|\d")


class Same:
    """An index as a key: its entries never change, and it cannot be hashed by value."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def __hash__(self) -> int:
        return id(self.index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.index is self.index
