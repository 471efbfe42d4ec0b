"""Characters that are letters to every parser and look like blanks, or like nothing."""

from __future__ import annotations

# Members of a character class of a pattern.
BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
UNSEEN = "\u200b-\u200d\u2028\u2029\u2060\ufeff\u00ad\u0085"


def code(character: str) -> str:
    """``U+00A0``, as a character is told that nobody sees."""
    return f"U+{ord(character):04X}"
