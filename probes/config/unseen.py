"""Characters in keys and values that are not seen, or look like blanks and are letters."""

from __future__ import annotations

from medic.run_config import Scalar
from medic.text.codepoints import BLANKS, UNSEEN, code
from medic.text.patterns import regex

_ANY = regex(f"[{BLANKS}{UNSEEN}]")
# At an end of a value, or inside of one that is a word or a number: prose may have them.
_AT_END = regex(f"^[{BLANKS}{UNSEEN}]|[{BLANKS}{UNSEEN}]$")
_IN_WORD = regex(f"^[\\w./:+-]*[{UNSEEN}][\\w./:+-]*$")
_LONGEST = 120


def unseen_in_key(name: str) -> tuple[str, str] | None:
    """(the character as U+200B, the name without any) of a key that has one."""
    found = None if name.isascii() else _ANY.search(name)
    return (code(found[0]), _ANY.sub("", name)) if found else None


def unseen_in_value(value: Scalar) -> tuple[str, str] | None:
    """The same of a value in which it is no part of a sentence."""
    if not isinstance(value, str) or value.isascii() or len(value) > _LONGEST or "\n" in value:
        return None
    found = _AT_END.search(value) or (_ANY.search(value) if _IN_WORD.match(value) else None)
    return (code(found[0]), _ANY.sub("", value)) if found else None
