"""Characters that look like blanks, like signs of a format, or like nothing, and are letters to it."""

from __future__ import annotations

from medic.text.codepoints import BLANKS, UNSEEN, code
from medic.text.patterns import regex

# The full-width forms of : , = # [ ] { }, and curled quotes.
_SIGNS = "\uff1a\uff0c\uff1d\uff03\uff3b\uff3d\uff5b\uff5d\u201c\u201d\u2018\u2019"
_ODD = regex(f"[{BLANKS}{UNSEEN}{_SIGNS}]")
_ASIDE = regex(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:^|\s)#.*|//.*")


def odd_in(line: str) -> tuple[int, str] | None:
    """(place from 0, what it is as ``U+00A0`` or the sign itself) of the first one that stands
    outside of quotes and comments."""
    if line.isascii():
        return None
    found = _ODD.search(_ASIDE.sub(lambda aside: "x" * len(aside[0]), line))
    return (found.start(), shown(found[0])) if found else None


def shown(character: str) -> str:
    """A character as it is told: those that are seen with themselves."""
    return f"{character} ({code(character)})" if character in _SIGNS else code(character)
